/**
 * Closes the connections of clients that read an answer too slowly: unread bytes hold memory
 * (decision §connections-are-bounded).
 */
import type { Socket } from 'node:net';

/** Minimum throughput of a client, averaged over the window. */
const MIN_BYTES_PER_S = 1024;
/** Samples of each connection per window. */
const LOOKS = 6;

/** The connection was closed because its client read the answer too slowly. */
export class SlowClient extends Error {}

/**
 * libuv's counters: all written bytes, and the part of them that the operating system has not accepted yet. They tell
 * how much a client has taken: Node's public counters change only when a write is complete, and an answer may be a
 * single write of many MB.
 */
interface Handle {
  bytesWritten: number;
  writeQueueSize: number;
}

interface Waiting {
  /** Bytes that the operating system had accepted at the beginning of the window. */
  taken: number;
  looks: number;
}

/**
 * Samples all connections periodically and closes those of slow clients with a {@link SlowClient}. A connection waits for
 * its client if every sample of a window finds an incomplete write. It is closed after one window and at most one sample
 * more. libuv's queue does not tell whether a write is complete: it can be empty before, for as long as the buffer of the
 * operating system is full.
 *
 * @returns stops the sampling
 */
export function endSlowClients(connections: ReadonlySet<Socket>, windowMs: number): () => void {
  const least = (MIN_BYTES_PER_S * windowMs) / 1000;
  const waiting = new WeakMap<Socket, Waiting>();
  const look = (socket: Socket) => {
    const { bytesWritten, writeQueueSize } = handleOf(socket);
    const taken = bytesWritten - writeQueueSize;
    const window = waiting.get(socket);
    if (socket.writableLength === 0) waiting.delete(socket);
    else if (!window) waiting.set(socket, { taken, looks: 0 });
    else {
      window.looks += 1;
      if (window.looks < LOOKS) return;
      const bytes = taken - window.taken;
      if (bytes >= least) waiting.set(socket, { taken, looks: 0 });
      else socket.destroy(new SlowClient(`The client read only ${bytes} bytes in ${windowMs / 1000} s`));
    }
  };
  const timer = setInterval(() => connections.forEach(look), windowMs / LOOKS).unref();
  return () => clearInterval(timer);
}

/** The property is missing in Node's types. A closed connection has none. */
function handleOf(socket: Socket): Handle {
  const { _handle } = socket as unknown as { _handle: Handle | null };
  return _handle ?? { bytesWritten: 0, writeQueueSize: 0 };
}
