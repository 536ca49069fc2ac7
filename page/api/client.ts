/** Calls of the API, typed by its contract. */
import { retryAfterSeconds } from '../../src/common/network.ts';
import type { ErrorCode } from '../../src/contract/error-codes.ts';
import { addressOf, OPERATIONS, type OperationId } from '../../src/contract/operations.ts';
import type { AnyRequest, CallOf, DataOf } from '../../src/contract/requests.ts';
import { accessToken, renew } from '../auth/login.ts';
import { API_ROOT } from '../settings.ts';

/**
 * Returns the data in the envelope of an answer: `call('postInsertingPause', { body })`.
 * @throws ApiError when the answer is no success; Error when it is lost
 */
export async function call<Id extends OperationId>(
  id: Id,
  ...[request]: CallOf<Id, unknown>
): Promise<DataOf<Id>> {
  return dataIn(await send(id, request as AnyRequest | undefined));
}

interface Sending extends AnyRequest {
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** Returns the answer itself. @throws ApiError when it is neither a success nor 304 */
export async function send(id: OperationId, request: Sending = {}): Promise<Response> {
  const { params, query, body, headers, signal } = request;
  const response = await authorizedFetch(
    new Request(location.origin + API_ROOT + addressOf(id, params, query), {
      method: OPERATIONS[id].method.toUpperCase(),
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }),
  );
  if (!response.ok && response.status !== 304)
    throw errorOf(response, await response.json().catch(() => null));
  return response;
}

/** @throws Error when the answer breaks off, or is no JSON */
export async function dataIn<T>(response: Response): Promise<T> {
  return ((await response.json()) as { data: T }).data;
}

/** Sends the token of the person. Retries once with a new token after the API refuses the old one. */
async function authorizedFetch(request: Request): Promise<Response> {
  const first = await fetch(withToken(request.clone()));
  return first.status === 401 && (await renew()) ? fetch(withToken(request)) : first;
}

function withToken(request: Request): Request {
  const token = accessToken();
  if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
  // The ETag of api/use-data.ts replaces the HTTP cache: the browser stores no data of a person.
  return new Request(request, { cache: 'no-store' });
}

/** Saves a file of the API. A download by the browser itself would send no token. */
export async function saveFile(id: OperationId, request: AnyRequest, fileName: string): Promise<void> {
  saveBlob(await (await send(id, request)).blob(), fileName);
}

export function saveBlob(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click();
  URL.revokeObjectURL(url);
}

/** Status and headers of an answer, to `fetch` or to an XMLHttpRequest. */
interface AnswerHead {
  status: number;
  headers: Pick<Headers, 'get'>;
}

interface Envelope {
  message?: string;
  data?: { code?: ErrorCode; doc_url?: string; id?: number };
}

export class ApiError extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number = 0;
  /** Null when a proxy sent the answer, or when there was no answer. */
  readonly code: ErrorCode | null = null;
  /** The page about the code. */
  readonly docUrl: string | null = null;
  /** The request ID in the log of the gateway. */
  readonly requestId: string | null = null;
  /** The import that the error concerns. */
  readonly importId: number | null = null;
  /** Seconds to wait before the next attempt; null when the service named none. */
  readonly retryAfterSeconds: number | null = null;

  constructor(message: string, rest: Partial<Omit<ApiError, keyof Error>> = {}) {
    super(message);
    Object.assign(this, rest);
  }
}

/** @param body the JSON of the answer, if it has any */
export function errorOf(response: AnswerHead, body: unknown): ApiError {
  const { message, data } = (typeof body === 'object' && body !== null ? body : {}) as Envelope;
  return new ApiError(message ?? `The service answered ${response.status}.`, {
    status: response.status,
    code: data?.code ?? null,
    docUrl: data?.doc_url ?? null,
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
