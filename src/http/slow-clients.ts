/**
 * Clients that take next to nothing of an answer lose their connection: what is not taken costs memory, and holds what
 * others could have (decision §connections-are-bounded).
 */
import type { Socket } from 'node:net';

/** The least that a client must take, on average over the window. */
const LEAST_BYTES_PER_S = 1024;
/** How often each connection is looked at in a window. */
const LOOKS = 6;

/** The connection was ended because its client took next to nothing of the answer. */
export class SlowClient extends Error {}

/**
 * Bytes that the connection has handed to the operating system, and those of them that it has not taken yet. Node's
 * public counters see a write when it is complete, and an answer may be a single write of many MB.
 */
interface Handle {
  bytesWritten: number;
  writeQueueSize: number;
}

interface Waiting {
  /** Bytes that had been taken at the beginning of the window. */
  taken: number;
  looks: number;
}

/**
 * Looks at all connections from now on, and ends those of slow clients with a {@link SlowClient}. A connection counts
 * as waiting for its client where every look of a window finds bytes that are not taken. So it is ended after one
 * window and at most one look more.
 *
 * @returns stops it
 */
export function endSlowClients(connections: ReadonlySet<Socket>, windowMs: number): () => void {
  const least = (LEAST_BYTES_PER_S * windowMs) / 1000;
  const waiting = new WeakMap<Socket, Waiting>();
  const look = (socket: Socket) => {
    const { bytesWritten, writeQueueSize } = handleOf(socket);
    const taken = bytesWritten - writeQueueSize;
    const window = waiting.get(socket);
    if (writeQueueSize === 0) waiting.delete(socket);
    else if (!window) waiting.set(socket, { taken, looks: 0 });
    else {
      window.looks += 1;
      if (window.looks < LOOKS) return;
      const bytes = taken - window.taken;
      if (bytes >= least) waiting.set(socket, { taken, looks: 0 });
      else socket.destroy(new SlowClient(`The client took ${bytes} bytes in ${windowMs / 1000} s`));
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
