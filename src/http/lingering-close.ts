/**
 * Lingering close of a connection whose client may still be sending (RFC 9112 §9.6). After an immediate close, the
 * operating system would reset the connection when more bytes arrive, and the client would lose the answer. Therefore the
 * server closes its side first, discards incoming bytes up to a limit of size and time, and then closes the connection.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

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

function clientIsDone(socket: Socket, incoming: Readable): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      // Paused instead of closed: backpressure stops the client without a reset.
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
