/** The header `Link` (RFC 8288): where a list goes on, so that programs need not make addresses. */
import type { Context } from 'koa';

/**
 * The address of the request with another `before`. Absolute where it is known how clients reach the gateway; else without a
 * host, to be resolved against the address that was asked (RFC 3986 §5): a proxy may have changed it.
 *
 * @param publicUrl base path included
 */
export function nextLink(
  { path, querystring }: Pick<Context, 'path' | 'querystring'>,
  before: number | string,
  { basePath, publicUrl }: { basePath: string; publicUrl: string | null },
): string {
  const query = new URLSearchParams(querystring);
  query.set('before', String(before));
  const target = publicUrl === null ? path : publicUrl.replace(/\/+$/, '') + path.slice(basePath.length);
  return `<${target}?${query}>; rel="next"`;
}
