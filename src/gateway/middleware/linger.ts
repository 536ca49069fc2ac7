/**
 * Answering before the body has been read (decision §refuse-before-the-body): the client must see the answer
 * although it is still sending, and must not be read to the end. So the answer goes out whole, and then the
 * connection closes in the way that lets the client read it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Middleware } from 'koa';
import { isClosing, lingeringClose } from '../../http/lingering-close.ts';

/** Outermost: nothing may touch the answer after it. */
export function linger(): Middleware {
  return async (ctx, next) => {
    await next();
    // A small body comes along with the headers. Taken in, it leaves the connection for the next request.
    if (hasUnreadBody(ctx.req)) await setImmediate();
    if (isClosing(ctx.req.socket)) ctx.respond = false;
    else if (hasUnreadBody(ctx.req)) {
      ctx.set('Connection', 'close');
      // A file takes its time; who asks for one with a body that nobody wants has to bear how it ends.
      ctx.respond = ctx.body instanceof Readable;
      if (!ctx.respond) await answerAndClose(ctx.req, ctx.res, rendered(ctx.body));
    }
  };
}

/** A body was announced and has not arrived whole. */
function hasUnreadBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  return (encoding !== undefined || Number(length ?? 0) > 0) && !request.complete;
}

/** As Koa would write it. */
function rendered(body: unknown): string | Buffer {
  if (body === null || body === undefined) return '';
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

async function answerAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Buffer,
): Promise<void> {
  if (response.destroyed) return;
  response.setHeader('Content-Length', Buffer.byteLength(body));
  // Not `end`: Node would close the connection at once, with the body unread.
  response.flushHeaders();
  if (body.length > 0) response.write(body);
  await lingeringClose(request.socket, request);
}

/** Requests whose client has been told to go on. */
const invited = new WeakSet<IncomingMessage>();

/**
 * Tells a client that waits for it to send the body (RFC 9110 §10.1.1). To be called before reading, and only
 * then: who is refused must not be asked first.
 */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  const waits = /(?:^|\W)100-continue(?:\W|$)/i.test(request.headers.expect ?? '');
  if (!waits || request.httpVersion !== '1.1' || invited.has(request)) return;
  invited.add(request);
  response.writeContinue();
}
