/** Calls of the API, typed by its contract. */
import { addressOf, OPERATIONS, type OperationId } from '../../src/contract/operations.ts';
import type { AnyRequest, CallOf, DataOf } from '../../src/contract/requests.ts';
import { accessToken, renew } from '../auth/login.ts';
import { API_ROOT } from '../settings.ts';
import { errorOf } from './api-error.ts';

interface CallOptions {
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** The data in the envelope of an answer: `call('postInsertingPause', { body })`. @throws ApiError when it is no success */
export async function call<Id extends OperationId>(
  id: Id,
  ...[request]: CallOf<Id, CallOptions>
): Promise<DataOf<Id>> {
  const response = await send(id, request as (AnyRequest & CallOptions) | undefined);
  const answer = await jsonOf(response);
  if (!response.ok || answer === null) throw errorOf(response, answer);
  return (answer as { data: DataOf<Id> }).data;
}

/** The answer itself, which may be no success. */
export function send(id: OperationId, request: AnyRequest & CallOptions = {}): Promise<Response> {
  const { params, query, body, headers, signal } = request;
  return authorizedFetch(
    new Request(location.origin + API_ROOT + addressOf(id, params, query), {
      method: OPERATIONS[id].method.toUpperCase(),
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }),
  );
}

/** Null where the body is no JSON. */
export async function jsonOf(response: Response): Promise<unknown> {
  return response.json().catch(() => null);
}

/** With the token of the person, and once more with a new one when that is refused. */
async function authorizedFetch(request: Request): Promise<Response> {
  const first = await fetch(withToken(request.clone()));
  return first.status === 401 && (await renew()) ? fetch(withToken(request)) : first;
}

function withToken(request: Request): Request {
  const token = accessToken();
  if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
  // What was seen before is known by its ETag (api/use-polled.ts): nothing of a person is left in the browser.
  return new Request(request, { cache: 'no-store' });
}

/** A file of the API, for a link that saves it: the browser's own download would carry no token. */
export async function saveFile(id: OperationId, request: AnyRequest, fileName: string): Promise<void> {
  const response = await send(id, request);
  if (!response.ok) throw errorOf(response, await jsonOf(response));
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: fileName });
  link.click();
  URL.revokeObjectURL(url);
}
