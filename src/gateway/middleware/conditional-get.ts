/**
 * Answers that are polled carry an `ETag`; who sends it back in `If-None-Match` gets 304 without a body
 * while nothing has changed (RFC 9110 §13.1.2).
 *
 * Not Koa's `ctx.fresh`: that gives up on `Cache-Control: no-cache`, which is meant for caches on the way,
 * and which every `fetch` sends along with `If-None-Match`.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';

export const JSON_TYPE = 'application/json; charset=utf-8';

export function conditionalGet(): Middleware {
  return async (ctx, next) => {
    await next();
    // What is written piece by piece has its tag from the version of what it tells.
    if (ctx.status !== 200 || ctx.body instanceof Readable) return;
    const body = JSON.stringify(ctx.body);
    // Whoever knows a cheaper tag has set it, and looked at it, before making the answer.
    if (ctx.response.headers.etag === undefined && isUnchanged(ctx, body)) return;
    ctx.type = JSON_TYPE;
    ctx.body = body;
  };
}

/**
 * Gives the answer its tag, and makes it a 304 if the client has that already.
 *
 * @param content changes with the answer: the answer itself, or its version
 */
export function isUnchanged(ctx: Pick<Context, 'get' | 'set' | 'etag' | 'status'>, content: string): boolean {
  const tag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  ctx.etag = `W/${tag}`;
  ctx.set('Cache-Control', 'private, no-cache');
  if (!names(ctx.get('if-none-match'), tag)) return false;
  ctx.status = 304;
  return true;
}

/** Whether a list of tags holds `tag`, in the weak comparison. */
function names(list: string, tag: string): boolean {
  return list.split(',').some((one) => ['*', tag, `W/${tag}`].includes(one.trim()));
}
