/** What calls of the client throw for reasons that somebody can act on. */
import * as z from 'zod';
import { type ErrorCode, isErrorCode } from '../../src/contract/error-codes.ts';

/** The two services that a client talks to. */
export type Service = 'gateway' | 'identity service';

/** A service answered with an error. The message is its own, in words for people. */
export class ApiError extends Error {
  readonly service: Service;
  readonly status: number;
  /** What the gateway calls the error; null where the answer is not the gateway's, or of a newer one's kind. */
  readonly code: ErrorCode | null;
  readonly data: unknown;
  /** Seconds after which trying again makes sense, where the service said so. */
  readonly retryAfterSeconds: number | null;

  constructor(
    service: Service,
    status: number,
    message: string,
    { data, retryAfterSeconds = null }: { data?: unknown; retryAfterSeconds?: number | null } = {},
  ) {
    super(message);
    this.service = service;
    this.status = status;
    this.code = codeIn(data);
    this.data = data;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** What answered is no gateway, or stands before it and did not let the request through. */
export class ForeignAnswer extends ApiError {}

/** No answer came, or only a part of one. */
export class Unreachable extends Error {
  readonly service: Service;
  readonly url: string;
  /** Trying again may help. */
  readonly temporary: boolean;

  constructor(service: Service, url: string, error: unknown) {
    const { code, message } = rootCause(error);
    super(`The ${service} at ${url} cannot be reached: ${message}.`);
    this.service = service;
    this.url = url;
    this.temporary = code !== undefined && (TEMPORARY_CODES.has(code) || code.startsWith('UND_ERR_'));
  }
}

/** The file is not what it was when the upload began. */
export class FileChanged extends Error {
  constructor(path: string) {
    super(`${path} changed while it was being sent.`);
  }
}

/** Node's, for connections that fail today and may work tomorrow; not for wrong names and bad certificates. */
const TEMPORARY_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
]);

/** Statuses that say nothing about the request itself. */
const TEMPORARY_STATUSES: readonly number[] = [408, 429, 500, 502, 503, 504];

/** Answered with 500 as well; but the same package would come to the same end. */
const PERMANENT_CODES: readonly (ErrorCode | null)[] = [
  'invalid_package',
  'import_cancelled',
  'import_failed',
];

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof Unreachable) return error.temporary;
  if (!(error instanceof ApiError) || !TEMPORARY_STATUSES.includes(error.status)) return false;
  return !PERMANENT_CODES.includes(error.code);
}

const codedData = z.object({ code: z.custom<ErrorCode>(isErrorCode) });

function codeIn(data: unknown): ErrorCode | null {
  return codedData.safeParse(data).data?.code ?? null;
}

/** Under what `fetch` wraps, and under what Node collects when a name has several addresses. */
function rootCause(error: unknown): { code: string | undefined; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  if (error.cause instanceof Error) return rootCause(error.cause);
  const { code } = error as NodeJS.ErrnoException;
  return { code, message: error.message || (code ?? 'unknown reason') };
}
