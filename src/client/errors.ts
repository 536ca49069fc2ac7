/** What calls of the client throw for reasons that somebody can act on. */
import { InvalidPackage } from '../domain/errors.ts';

/** The two services that a client talks to. */
export type Service = 'gateway' | 'identity service';

/** A service answered with an error. The message is its own, in words for people. */
export class ApiError extends Error {
  readonly service: Service;
  readonly status: number;
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

/** Answered with 500 as well (interface §7); but it stays unreadable. */
const UNREADABLE_PACKAGE = new InvalidPackage('').message;

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof Unreachable) return error.temporary;
  if (!(error instanceof ApiError) || !TEMPORARY_STATUSES.includes(error.status)) return false;
  return !error.message.startsWith(UNREADABLE_PACKAGE);
}

/** Under what `fetch` wraps, and under what Node collects when a name has several addresses. */
function rootCause(error: unknown): { code: string | undefined; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  if (error.cause instanceof Error) return rootCause(error.cause);
  const { code } = error as NodeJS.ErrnoException;
  return { code, message: error.message || (code ?? 'unknown reason') };
}
