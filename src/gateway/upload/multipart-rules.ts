/**
 * Rules of the multipart body of an upload: its headers, the limits of its parts, and what an error of its readers
 * means.
 */
import { StorageFailure } from '../../archive/storage.ts';
import { badRequest, HttpError, tooLarge } from '../http-error.ts';
import type { GatewayContext } from '../route.ts';
import { BodyTooLarge, ClientGone } from './multipart-body.ts';

/** @returns the boundary of the body's parts @throws HttpError 400 */
export function requireMultipart(ctx: GatewayContext): string {
  if (!ctx.is('multipart/form-data')) {
    throw badRequest('The request must be multipart/form-data with the file in the part "file".');
  }
  const [, quoted, token] = BOUNDARY.exec(ctx.get('content-type')) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) {
    throw badRequest(
      'The Content-Type has no valid boundary. It may have 70 characters. Put it in quotation marks, or use letters and digits only.',
    );
  }
  if (!['', 'identity'].includes(ctx.get('content-encoding'))) {
    throw badRequest('The body has a Content-Encoding. Send it without one: a ZIP is compressed already.');
  }
  return boundary;
}

/**
 * A token or a quoted string (RFC 9110 §5.6) of at most 70 characters (RFC 2046 §5.1.1). multer ignores a body with
 * another boundary, as if it had no parts.
 */
const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,70})"|([\w!#$%&'*+.^`|~-]{1,70}))\s*(?:;|$)/i;

/** Limits of the text parts. A comment may be long. */
export const TEXT_LIMITS = {
  fields: 50,
  fieldSize: 64 * 1024,
  fieldNameSize: 100,
  // multer makes `x[9]` an array of ten items. Its loops over a sparse array of millions would block the process.
  fieldArrayIndexLimit: 50,
} as const;

const MULTER_MESSAGES: Readonly<Record<string, string>> = {
  LIMIT_UNEXPECTED_FILE: 'Send exactly one file, in the part "file".',
  LIMIT_FILE_COUNT: 'Send exactly one file, in the part "file".',
  LIMIT_FIELD_KEY: 'The name of a part is too long.',
  LIMIT_FIELD_VALUE: `A text part is longer than ${TEXT_LIMITS.fieldSize / 1024} KB.`,
  LIMIT_FIELD_COUNT: `There are more than ${TEXT_LIMITS.fields} text parts.`,
  LIMIT_FIELD_ARRAY_INDEX: `The name of a text part has an index above ${TEXT_LIMITS.fieldArrayIndexLimit}.`,
  LIMIT_PART_COUNT: `There are more than ${TEXT_LIMITS.fields + 1} parts.`,
  MISSING_FIELD_NAME: 'A part has no name.',
  INVALID_FIELD_NAME: 'The name of a part is invalid.',
};

/** Messages of busboy's errors, which have no codes. */
const BROKEN_BODY = /boundary|Multipart|Malformed|Unexpected end of file|part header|content type/i;

/**
 * The answer to an error of multer or busboy: their errors carry no HTTP status (decision §answers).
 *
 * @returns the error itself if it is not the client's fault
 */
export function uploadError(error: unknown, maxFileBytes: number): unknown {
  if (error instanceof HttpError) return error;
  if (error instanceof BodyTooLarge) return tooLarge(maxFileBytes);
  if (error instanceof ClientGone)
    return badRequest('The client disconnected before the upload was complete.');
  if (error instanceof StorageFailure) {
    const message = 'The archive storage does not answer. Nothing was stored. Send the package again.';
    return new HttpError('temporarily_unavailable', message, { cause: error });
  }
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (code === 'LIMIT_FILE_SIZE') return tooLarge(maxFileBytes);
  if (name === 'MulterError')
    return badRequest(MULTER_MESSAGES[code ?? ''] ?? `The multipart body is invalid: ${message}.`);
  if (message === 'Unexpected end of form')
    return badRequest('The multipart body is broken: it does not end with the boundary of the Content-Type.');
  if (BROKEN_BODY.test(message ?? '')) return badRequest(`The multipart body is broken: ${message}.`);
  return error;
}
