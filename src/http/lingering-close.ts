/**
 * Closing a connection whose client may still be sending (RFC 9112 §9.6). Closed at once, the operating system
 * would answer what still arrives with a reset, and the client would see that instead of our answer. So our
 * side is closed first; what arrives is read and thrown away, not much of it and not for long; then all is over.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * Of what still arrives, as much as this is read (decision §refuse-before-the-body). Then the client is left to
 * find out by itself.
 */
const LINGER_BYTES = 1024 * 1024;
/** The client has this long to read the answer and to close its side. */
const LINGER_MS = 2_000;

const closing = new WeakSet<Socket>();

/** The connection is being closed: whatever request still comes over it must not be acted on. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/**
 * To be called when the answer has been written. Resolves when the connection is closed.
 *
 * @param incoming what still arrives: the body of a request, or the socket itself
 */
export async function lingeringClose(socket: Socket, incoming: Readable): Promise<void> {
  closing.add(socket);
  if (!socket.destroyed) {
    socket.end();
    await clientIsDone(socket, incoming);
  }
  socket.destroy();
}

function clientIsDone(socket: Socket, incoming: Readable): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      // From here on the full buffers of the connection stop the client, which keeps it from being reset.
      if (bytes >= LINGER_BYTES) incoming.pause();
    };
    const done = () => {
      clearTimeout(timer);
      incoming.off('data', onData).off('end', done).off('close', done).off('error', done);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, LINGER_MS);
    incoming.on('end', done).on('close', done).on('error', done).on('data', onData);
    socket.once('close', done);
    if (incoming.readableEnded || incoming.destroyed) done();
    else incoming.resume();
  });
}
