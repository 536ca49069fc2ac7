/**
 * Conditional GET: answers that are polled carry an `ETag`. A client that sends it back in `If-None-Match` gets 304
 * without a body while nothing has changed (RFC 9110 §13.1.2).
 *
 * Koa's `ctx.fresh` does not serve here: it ignores `If-None-Match` if the request has `Cache-Control: no-cache`, and
 * every `fetch` sends both.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';

export const JSON_TYPE = 'application/json; charset=utf-8';

export function conditionalGet(): Middleware {
  return async (ctx, next) => {
    await next();
    // A streamed answer has its tag already, from the version of its data.
    if (ctx.status !== 200 || ctx.body instanceof Readable) return;
    const body = JSON.stringify(ctx.body);
    // A route with a cheaper tag has set and compared it before it made the answer.
    if (ctx.response.headers.etag === undefined && isUnchanged(ctx, body)) return;
    ctx.type = JSON_TYPE;
    ctx.body = body;
  };
}

/**
 * Sets the answer's `ETag`. Makes the answer a 304 if the client has that tag already.
 *
 * @param content the answer itself, or its version
 */
export function isUnchanged(ctx: Pick<Context, 'get' | 'set' | 'etag' | 'status'>, content: string): boolean {
  const tag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  ctx.etag = `W/${tag}`;
  ctx.set('Cache-Control', 'private, no-cache');
  if (!names(ctx.get('if-none-match'), tag)) return false;
  ctx.status = 304;
  return true;
}

/** Whether a list of tags contains `tag`, by weak comparison. */
function names(list: string, tag: string): boolean {
  return list.split(',').some((one) => ['*', tag, `W/${tag}`].includes(one.trim()));
}
