import { type Service, Unreachable } from './errors.ts';

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
