/**
 * The requests of a connection, one after the other. Node hands over all requests that have come with one read, up to
 * thousands. Worked on at the same time, each would hold its answer until the client has read those before it
 * (decision §connections-are-bounded).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isClosing } from './lingering-close.ts';

/** Requests of a connection that may wait for their turn. A client that sends more loses its connection. */
const MOST_WAITING = 256;

/** A request and its answer. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

export interface Turns {
  /** Begins the exchange when those before it have ended; never if the connection ends with one of them. */
  take(exchange: Exchange): void;
  /** Exchanges of a connection that have not ended, in their order: the first is the one that is worked on. */
  open(socket: Socket): readonly Exchange[];
}

/** @param begin works on an exchange, which ends when its answer is written or the connection is closed */
export function createTurns(begin: (exchange: Exchange) => void): Turns {
  const queues = new WeakMap<Socket, Exchange[]>();

  function queueOf(socket: Socket): Exchange[] {
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    return queue;
  }

  function beginFirst(socket: Socket): void {
    const [first] = queueOf(socket);
    if (first && socket.writable && !isClosing(socket)) begin(first);
  }

  function endFirst(socket: Socket): void {
    const queue = queueOf(socket);
    queue.shift();
    if (queue.length === 1) resumeReading(socket);
    beginFirst(socket);
  }

  return {
    take(exchange) {
      const { socket } = exchange.request;
      const queue = queueOf(socket);
      queue.push(exchange);
      // Not at once: the connection may be about to end with this answer.
      exchange.response.once('close', () => process.nextTick(endFirst, socket));
      if (queue.length === 1) beginFirst(socket);
      else if (queue.length === 2) pauseReading(socket);
      else if (queue.length > MOST_WAITING + 1) socket.destroy();
    },
    open: queueOf,
  };
}

/** Node resumes a connection by itself, for example when a request has arrived as a whole: so it is paused again each time. */
function pauseReading(socket: Socket): void {
  socket.on('resume', pauseAgain).pause();
}

function resumeReading(socket: Socket): void {
  socket.off('resume', pauseAgain).resume();
}

function pauseAgain(this: Socket): void {
  this.pause();
}
