import { type Service, Unreachable } from './errors.ts';

/**
 * `fetch` whose failures say who cannot be reached. Redirects are answers: nothing of ours, secrets least of
 * all, goes where nobody has sent it.
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
