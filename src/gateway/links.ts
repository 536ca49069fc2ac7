/** Pages of lists, and the header `Link` (RFC 8288), which spares programs from making addresses. */
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

/** A page out of records that were read with one more than its limit, and the `before` of the next page. */
export function pageOf<T extends { id: number }>(records: T[], limit: number) {
  const page = records.slice(0, limit);
  return { page, next_before: records.length > limit ? (page.at(-1)?.id ?? null) : null };
}
