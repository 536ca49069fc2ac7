/** Sends the answer of a route: the envelope as a whole or as a stream, a file, or 304. */
import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type Addresses, linkBase } from './error-page.ts';
import {
  type FileAnswer,
  type GatewayContext,
  isPaged,
  isPolled,
  type Route,
  type RouteAnswer,
} from './route.ts';
import { jsonStream, StreamedData } from './streams.ts';

/** A page of a list, with the `before` of the next page. */
interface Paged {
  next_before: number | string | null;
}

export async function sendAnswer(
  ctx: GatewayContext,
  route: Route,
  answer: RouteAnswer<unknown> | FileAnswer,
  addresses: Addresses,
): Promise<void> {
  const { status = Number(Object.keys(route.answers)[0]), headers = {} } = answer;
  ctx.status = status;
  if ('stream' in answer) {
    const description = route.answers[status];
    ctx.attachment(answer.fileName);
    if (description && 'contentType' in description) ctx.type = description.contentType;
    send(ctx, answer.stream);
    // Koa removes the length when it gets a stream.
    ctx.set(headers);
    return;
  }
  ctx.set(headers);
  const { message, version } = answer;
  if (version !== undefined && isUnchanged(ctx, version)) return;
  const data = typeof answer.data === 'function' ? await answer.data() : answer.data;
  const nextBefore = isPaged(route) ? (data as Paged).next_before : null;
  if (nextBefore !== null) ctx.append('Link', nextLink(ctx, nextBefore, addresses));
  ctx.type = JSON_TYPE;
  if (data instanceof StreamedData) return send(ctx, jsonStream({ status: 'success', message }, data));
  const json = JSON.stringify({ status: 'success', message, data });
  if (isPolled(route) && isUnchanged(ctx, json)) return;
  // As a buffer the answer has a known size, and it is in memory once while it is sent.
  ctx.body = Buffer.from(json);
}

/** The type of the envelope (interface §2.3). */
const JSON_TYPE = 'application/json; charset=utf-8';

/** Resets the connection after an error. An HTTP/1.0 client takes a normal close for the end of the answer. */
function send(ctx: GatewayContext, body: Readable | null): void {
  ctx.body = body?.once('error', () => ctx.req.socket.resetAndDestroy());
}

/**
 * Conditional GET (RFC 9110 §13.1.2): sets the answer's `ETag`. Makes the answer a 304 without a body if the client has
 * that tag already.
 *
 * Koa's `ctx.fresh` does not serve here: it ignores `If-None-Match` if the request has `Cache-Control: no-cache`, and
 * every `fetch` sends both.
 *
 * @param content the answer itself, or its version
 */
function isUnchanged(ctx: GatewayContext, content: string): boolean {
  const tag = `"${hash('sha256', content, 'base64url')}"`;
  ctx.etag = `W/${tag}`;
  ctx.set('Cache-Control', 'private, no-cache');
  if (!isKnown(ctx, tag)) return false;
  ctx.status = 304;
  return true;
}

/** Whether `If-None-Match` has the tag, by weak comparison. @param tag without `W/` */
export function isKnown(http: Pick<GatewayContext, 'get'>, tag: string): boolean {
  const known = http.get('if-none-match').split(',');
  return known.some((one) => ['*', tag, `W/${tag}`].includes(one.trim()));
}

/**
 * The `Link` to the request's URL with another `before`. The link is absolute if `publicUrl` is known. Otherwise it is a
 * relative reference (RFC 3986 §5), because a proxy may have changed the host.
 */
function nextLink(
  { path, querystring }: Pick<GatewayContext, 'path' | 'querystring'>,
  before: number | string,
  addresses: Addresses,
): string {
  const query = new URLSearchParams(querystring);
  query.set('before', String(before));
  const target = linkBase(addresses) + path.slice(addresses.basePath.length);
  return `<${target}?${query}>; rel="next"`;
}
