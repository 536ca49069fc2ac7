/** A failed call of the API: an error answer, or no answer. */
import { retryAfterSeconds } from '../../src/common/retry-after.ts';
import type { ErrorCode } from '../../src/contract/error-codes.ts';

export type { ErrorCode };

interface Envelope {
  message?: string;
  data?: { code?: ErrorCode; id?: number };
}

export class ApiError extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Null when a proxy sent the answer, or when there was no answer. */
  readonly code: ErrorCode | null;
  /** The request ID in the log of the gateway. */
  readonly requestId: string | null;
  /** The import that the error concerns. */
  readonly importId: number | null;
  /** Seconds to wait before the next try; null when the service named none. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, rest: Partial<Omit<ApiError, keyof Error>> = {}) {
    super(message);
    this.status = rest.status ?? 0;
    this.code = rest.code ?? null;
    this.requestId = rest.requestId ?? null;
    this.importId = rest.importId ?? null;
    this.retryAfterSeconds = rest.retryAfterSeconds ?? null;
  }
}

/** @param body the JSON of the answer, if it has any */
export function errorOf(response: Response, body: unknown): ApiError {
  const { message, data } = (typeof body === 'object' && body !== null ? body : {}) as Envelope;
  return new ApiError(message ?? `The service answered ${response.status}.`, {
    status: response.status,
    code: data?.code ?? null,
    requestId: response.headers.get('X-Request-Id'),
    importId: data?.id ?? null,
    retryAfterSeconds: retryAfterSeconds(response.headers),
  });
}

/** Turns any thrown value into an `ApiError`. Not for an aborted call. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError('Check the network connection, or try again later.');
}
