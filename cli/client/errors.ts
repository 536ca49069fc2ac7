/** Errors of the client whose cause a person can remove. */
import * as z from 'zod';
import { aboutError, type ErrorCode, isErrorCode } from '../../src/contract/error-codes.ts';

/** The two services that a client talks to. */
export type Service = 'gateway' | 'identity service';

/** A service answered with an error. The message comes from the service and is for people. */
export class ApiError extends Error {
  readonly service: Service;
  readonly status: number;
  /** The gateway's error code; null if the answer is not the gateway's, or if its code is unknown to this version. */
  readonly code: ErrorCode | null;
  readonly data: unknown;
  /** Seconds after which a retry makes sense, if the service gave them. */
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
    this.code = codedData.safeParse(data).data?.code ?? null;
    this.data = data;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The answer does not come from a gateway, or comes from a proxy that blocked the request. */
export class ForeignAnswer extends ApiError {}

/** No answer came, or an incomplete one. */
export class Unreachable extends Error {
  readonly service: Service;
  readonly url: string;
  /** A retry may help. */
  readonly temporary: boolean;

  constructor(service: Service, url: string, error: unknown) {
    const { code, message } = rootCause(error);
    super(`The ${service} at ${url} cannot be reached: ${message}.`);
    this.service = service;
    this.url = url;
    this.temporary = code !== undefined && (TEMPORARY_CODES.has(code) || code.startsWith('UND_ERR_'));
  }
}

/** The file has changed since the upload began. */
export class FileChanged extends Error {
  constructor(path: string) {
    super(`${path} changed while it was being sent.`);
  }
}

/** Node's codes for temporary connection errors. Wrong names and bad certificates are not among them. */
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

/** Errors of the file system name a path. Connection errors do not, nor do those of an open file, such as a full disk. */
export function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'path' in error;
}

/** Statuses that do not concern the request itself. */
const TEMPORARY_STATUSES: readonly number[] = [408, 429, 500, 502, 503, 504];

/** The gateway has done nothing yet, so every request may be repeated. */
export function isRateLimited(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429;
}

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof Unreachable) return error.temporary;
  if (!(error instanceof ApiError) || !TEMPORARY_STATUSES.includes(error.status)) return false;
  return error.code === null || aboutError(error.code).repeat === 'later';
}

const codedData = z.object({ code: z.custom<ErrorCode>(isErrorCode) });

/** Finds the error inside the wrapper of `fetch`, and inside Node's AggregateError for a name with several addresses. */
function rootCause(error: unknown): { code: string | undefined; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  if (error.cause instanceof Error) return rootCause(error.cause);
  const { code } = error as NodeJS.ErrnoException;
  return { code, message: error.message || (code ?? 'unknown reason') };
}

/** The error of reading the gateway's answer. `fetch` reports an answer that breaks off as a TypeError. */
export function errorOfBody(error: unknown, url: string): unknown {
  return error instanceof TypeError ? new Unreachable('gateway', url, error) : error;
}

/**
 * `fetch` whose errors name the unreachable service. It does not follow redirects, so that secrets and data go only
 * to the configured address.
 *
 * @throws Unreachable, or the reason of an aborted signal
 */
export async function reach(
  service: Service,
  url: string,
  request: RequestInit,
  signal?: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'manual', ...request, ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw new Unreachable(service, url, error);
  }
}
