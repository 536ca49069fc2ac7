/** Pages of lists, and the header `Link` (RFC 8288) with the URL of the next page. */
import type { Context } from 'koa';

/**
 * The `Link` to the request's URL with another `before`. The link is absolute if `publicUrl` is known. Otherwise it is a
 * relative reference (RFC 3986 §5), because a proxy may have changed the host.
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

/** The page and the `before` of the next one. @param records read with `limit + 1`, to see whether there are more */
export function pageOf<T extends { id: number }>(records: T[], limit: number) {
  const page = records.slice(0, limit);
  return { page, next_before: records.length > limit ? (page.at(-1)?.id ?? null) : null };
}
