/**
 * Answering before the body has been read (design §4.1): the client must see the answer although it is
 * still sending, and must not be read to the end. So the answer goes out whole, then at most 1 MiB or 2 s
 * of the body is read and thrown away, then the connection closes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';

const LINGER_BYTES = 1024 * 1024;
const LINGER_MS = 2_000;

export function linger(): Middleware {
  return async (ctx, next) => {
    await next();
    if (!hasUnreadBody(ctx.req) || ctx.respond === false) return;
    const body = Buffer.from(JSON.stringify(ctx.body ?? null));
    ctx.respond = false;
    ctx.set('Connection', 'close');
    ctx.set('Content-Type', 'application/json; charset=utf-8');
    ctx.set('Content-Length', String(body.length));
    await answerAndClose(ctx.req, ctx.res, ctx.status, body);
  };
}

/** A body was announced and has not arrived whole. Under `Expect: 100-continue` it will not be sent unasked. */
function hasUnreadBody(request: IncomingMessage): boolean {
  const announced =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  return announced && !request.complete;
}

async function answerAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: Buffer,
): Promise<void> {
  if (response.destroyed) return;
  response.statusCode = status;
  response.write(body);
  if (!isExpectingContinue(request)) await discard(request);
  response.end();
}

function isExpectingContinue(request: IncomingMessage): boolean {
  return request.headers.expect?.toLowerCase() === '100-continue' && !continued.has(request);
}

/** Requests whose client has been told to go on. */
const continued = new WeakSet<IncomingMessage>();

/** Tells a client that waits for it to send the body. To be called before reading, and only then. */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect?.toLowerCase() !== '100-continue' || continued.has(request)) return;
  continued.add(request);
  response.writeContinue();
}

function discard(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const done = () => {
      clearTimeout(timer);
      request.off('data', onData).off('end', done).off('close', done).off('error', done);
      request.pause();
      resolve();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= LINGER_BYTES) done();
    };
    const timer = setTimeout(done, LINGER_MS);
    request.on('end', done).on('close', done).on('error', done).on('data', onData);
    request.resume();
  });
}
