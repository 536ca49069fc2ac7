/** Errors of multer and busboy as answers: their errors carry no HTTP status (decision §answers). */
import { StorageFailure } from '../../archive/storage.ts';
import { badRequest, HttpError, tooLarge } from '../http-error.ts';
import { BodyTooLarge, ClientGone } from './multipart-body.ts';

/** Limits of the text parts. A comment may be long. */
export const TEXT_LIMITS = { fields: 50, fieldSize: 64 * 1024, fieldNameSize: 100 } as const;

const MULTER_MESSAGES: Readonly<Record<string, string>> = {
  LIMIT_UNEXPECTED_FILE: 'Send exactly one file, in the part "file".',
  LIMIT_FILE_COUNT: 'Send exactly one file, in the part "file".',
  LIMIT_FIELD_KEY: 'The name of a part is too long.',
  LIMIT_FIELD_VALUE: `A text part is longer than ${TEXT_LIMITS.fieldSize / 1024} KB.`,
  LIMIT_FIELD_COUNT: `There are more than ${TEXT_LIMITS.fields} text parts.`,
  LIMIT_PART_COUNT: `There are more than ${TEXT_LIMITS.fields + 1} parts.`,
  MISSING_FIELD_NAME: 'A part has no name.',
  INVALID_FIELD_NAME: 'The name of a part is invalid.',
};

/** Messages of busboy's errors, which have no codes. */
const BROKEN_BODY =
  /boundary|Multipart|Malformed|Unexpected end of form|Unexpected end of file|part header|content type/i;

/** @returns the error itself if it is not the client's fault */
export function uploadError(error: unknown, maxFileBytes: number): unknown {
  if (error instanceof HttpError) return error;
  if (error instanceof BodyTooLarge) return tooLarge(maxFileBytes);
  if (error instanceof ClientGone)
    return badRequest('The client disappeared before the upload was complete.');
  if (error instanceof StorageFailure)
    return new HttpError(
      'temporarily_unavailable',
      'The archive storage does not answer. Nothing was kept; send the package again.',
      { cause: error },
    );
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (code === 'LIMIT_FILE_SIZE') return tooLarge(maxFileBytes);
  if (name === 'MulterError')
    return badRequest(MULTER_MESSAGES[code ?? ''] ?? `The multipart body is invalid: ${message}.`);
  if (BROKEN_BODY.test(message ?? '')) return badRequest(`The multipart body is broken: ${message}.`);
  return error;
}
