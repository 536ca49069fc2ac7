/** An answer of the API that is no success, or none at all. */
import type { ErrorCode } from '../../src/contract/error-codes.ts';

export type { ErrorCode };

interface Envelope {
  message?: string;
  data?: { code?: ErrorCode; id?: number };
}

export class ApiError extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Null when the answer came from something in between, or there was none. */
  readonly code: ErrorCode | null;
  /** What the log of the gateway knows the request by. */
  readonly requestId: string | null;
  /** Of the import that it is about. */
  readonly importId: number | null;
  /** Seconds to wait before the next try; null when nothing was said. */
  readonly retryAfterS: number | null;

  constructor(message: string, rest: Partial<Omit<ApiError, keyof Error>> = {}) {
    super(message);
    this.status = rest.status ?? 0;
    this.code = rest.code ?? null;
    this.requestId = rest.requestId ?? null;
    this.importId = rest.importId ?? null;
    this.retryAfterS = rest.retryAfterS ?? null;
  }
}

/** @param body what came as JSON, if anything did */
export function errorOf(response: Response, body: unknown): ApiError {
  const { message, data } = (typeof body === 'object' && body !== null ? body : {}) as Envelope;
  const wait = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new ApiError(message ?? `The service answered ${response.status}.`, {
    status: response.status,
    code: data?.code ?? null,
    requestId: response.headers.get('X-Request-Id'),
    importId: data?.id ?? null,
    retryAfterS: Number.isFinite(wait) ? wait : null,
  });
}

/** Whatever was thrown, as something that can be shown. Not for an aborted call. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError('The service cannot be reached. The page tries again by itself.');
}
