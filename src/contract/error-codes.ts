/** Error codes: look-ups in the table of error-texts.ts. */
import { ERROR_TEXTS, type ErrorText } from './error-texts.ts';

/** Path of the page about error codes, below the base path. A code is its fragment. */
export const ERROR_PAGE = '/api/doc/errors';

export type ErrorStatus = keyof typeof ERROR_TEXTS;
export type ErrorCode = { [Status in ErrorStatus]: keyof (typeof ERROR_TEXTS)[Status] }[ErrorStatus];

const ENTRIES = new Map<string, ErrorText & { status: ErrorStatus }>(
  Object.entries(ERROR_TEXTS).flatMap(([status, codes]) =>
    Object.entries(codes).map(([code, text]) => [code, { ...text, status: Number(status) as ErrorStatus }]),
  ),
);

export const ERROR_CODES = [...ENTRIES.keys()] as [ErrorCode, ...ErrorCode[]];

/** The codes with which an import or a dry run ends without a result. */
export const IMPORT_FAILURE_CODES = [
  'invalid_package',
  'import_cancelled',
  'import_failed',
  'storage_full',
] as const satisfies ErrorCode[];

export type ImportFailureCode = (typeof IMPORT_FAILURE_CODES)[number];

/** The HTTP status and the texts of an error. */
export function aboutError(code: ErrorCode) {
  return ENTRIES.get(code) as ErrorText & { status: ErrorStatus };
}

/** Whether this version knows the code. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && ENTRIES.has(value);
}
