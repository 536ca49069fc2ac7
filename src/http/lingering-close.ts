/**
 * Lingering close of a connection whose client may still be sending (RFC 9112 §9.6). After an immediate close, the
 * operating system would reset the connection when more bytes arrive, and the client would lose the answer. Therefore the
 * server closes its side first, discards incoming bytes up to a limit of size and time, and then closes the connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Middleware } from 'koa';

/** Bytes that are read and discarded before reading stops (decision §refuse-before-the-body). */
const LINGER_BYTES = 1024 * 1024;
/** Time for the client to read the answer and to close its side. */
const LINGER_MS = 2_000;

const closing = new WeakSet<Socket>();

/** Whether the connection is being closed. Further requests on it must not be processed. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/**
 * To be called after the answer has been written. Resolves when the connection is closed.
 *
 * @param incoming stream of incoming bytes: the body of a request, or the socket itself
 */
export async function lingeringClose(socket: Socket, incoming: Readable): Promise<void> {
  closing.add(socket);
  if (!socket.destroyed) {
    socket.end();
    await clientIsDone(socket, incoming);
  }
  socket.destroy();
}

/** Resolves at the end of what the client sends, at the end of the connection, or after {@link LINGER_MS}. */
async function clientIsDone(socket: Socket, incoming: Readable): Promise<void> {
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // Paused instead of closed: backpressure stops the client without a reset.
    if (bytes >= LINGER_BYTES) incoming.pause();
  });
  incoming.resume();
  const signal = AbortSignal.timeout(LINGER_MS);
  const ends = [finished(incoming, { writable: false, signal }), finished(socket, { signal })];
  await Promise.race(ends.map((end) => end.catch(() => {})));
}

/**
 * Answers before the body has been read (decision §refuse-before-the-body): the client must see the answer although it is
 * still sending, and the gateway must not read the rest of the body. This writes the whole answer, and then closes the
 * connection with a lingering close. The outermost middleware: nothing may change the answer after it.
 */
export function linger(): Middleware {
  return async (ctx, next) => {
    await next();
    // A small body arrives together with the headers. Once read, the connection can serve the next request.
    if (hasUnreadBody(ctx.req)) await setImmediate();
    if (isClosing(ctx.req.socket)) ctx.respond = false;
    else if (hasUnreadBody(ctx.req)) {
      ctx.set('Connection', 'close');
      // Koa streams a file itself. A download with an unread body gets no lingering close.
      ctx.respond = ctx.body instanceof Readable;
      if (!ctx.respond) await answerAndClose(ctx.req, ctx.res, rendered(ctx.body));
    }
  };
}

/** Whether a body was announced and has not arrived completely. */
function hasUnreadBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  return (encoding !== undefined || Number(length ?? 0) > 0) && !request.complete;
}

/** The body as Koa would write it. */
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
  // Not `end`: with an unread body, Node would close the connection at once.
  response.flushHeaders();
  if (body.length > 0) response.write(body);
  await lingeringClose(request.socket, request);
}

/**
 * Sends `100 Continue` to a client that waits for it (RFC 9110 §10.1.1). To be called once, just before the body is
 * read, so that a refused client does not send it.
 */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  const waits = /(?:^|\W)100-continue(?:\W|$)/i.test(request.headers.expect ?? '');
  if (waits && request.httpVersion === '1.1') response.writeContinue();
}
