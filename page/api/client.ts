/** Calls of the API, typed by its description. */
import createClient from 'openapi-fetch';
import { accessToken, renew } from '../auth/login.ts';
import { API_ROOT } from '../settings.ts';
import { errorOf } from './api-error.ts';
import type { paths } from './generated/api.d.ts';

/**
 * Every operation: `api.POST('/regulator/inserting/pause', { body })`. To be passed through `dataOf`, except where
 * a refusal is part of the plan.
 */
export const api = createClient<paths>({ baseUrl: location.origin + API_ROOT, fetch: authorizedFetch });

/** The data in the envelope of an answer. @throws ApiError when it is no success */
export async function dataOf<T>(
  answer: Promise<{ data?: { data: T }; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await answer;
  if (data === undefined) throw errorOf(response, error);
  return data.data;
}

/** With the token of the person, and once more with a new one when that is refused. */
export async function authorizedFetch(request: Request): Promise<Response> {
  const first = await fetch(withToken(request.clone()));
  return first.status === 401 && (await renew()) ? fetch(withToken(request)) : first;
}

function withToken(request: Request): Request {
  const token = accessToken();
  if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
  // What was seen before is known by its ETag (api/use-polled.ts): nothing of a person is left in the browser.
  return new Request(request, { cache: 'no-store' });
}

/** Paths that answer a GET with data. */
export type GetPath = {
  [P in keyof paths]: paths[P] extends {
    get: { responses: { 200: { content: { 'application/json': { data: unknown } } } } };
  }
    ? P
    : never;
}[keyof paths];

/** What is in the envelope of such an answer. */
export type DataOf<P extends GetPath> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': { data: infer D } } } } };
}
  ? D
  : never;

/** What such a path is asked with. */
export type ParamsOf<P extends GetPath> = paths[P] extends { get: { parameters: infer A } }
  ? Omit<A, 'header' | 'cookie'>
  : never;

/** A file of the API, for a link that saves it: the browser's own download would carry no token. */
export async function saveFile(path: string, fileName: string): Promise<void> {
  const response = await authorizedFetch(new Request(location.origin + API_ROOT + path));
  if (!response.ok) throw errorOf(response, await response.json().catch(() => null));
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: fileName });
  link.click();
  URL.revokeObjectURL(url);
}
