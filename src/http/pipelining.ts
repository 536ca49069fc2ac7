/**
 * Processes the pipelined requests of a connection one after the other. Node hands over all requests of one read, up to
 * thousands. Processed concurrently, each would hold its answer in memory until the client has read the earlier ones
 * (decision §connections-are-bounded).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isClosing } from './lingering-close.ts';

/** Limit of waiting requests per connection, at 4 KB each. Beyond it the connection is closed. */
const MAX_WAITING = 64;

/** A request and its answer. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface Pipelines {
  /** Starts the exchange once the earlier ones have ended, unless the connection closes before. */
  take(exchange: Exchange): void;
  /** Exchanges of a connection that have not ended, in order. The first is being processed. */
  open(socket: Socket): readonly Exchange[];
}

/** @param begin processes an exchange, which ends when its answer is written or the connection is closed */
export function createPipelines(begin: (exchange: Exchange) => void): Pipelines {
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
      // On the next tick, because the connection may close with this answer.
      exchange.response.once('close', () => process.nextTick(endFirst, socket));
      if (queue.length === 1) beginFirst(socket);
      else if (queue.length === 2) pauseReading(socket);
      else if (queue.length > MAX_WAITING + 1) socket.destroy();
    },
    open: queueOf,
  };
}

/**
 * Pauses again at each resume: Node resumes a connection by itself, for example once a request has arrived completely.
 */
function pauseReading(socket: Socket): void {
  socket.on('resume', pauseAgain).pause();
}

function resumeReading(socket: Socket): void {
  socket.off('resume', pauseAgain).resume();
}

function pauseAgain(this: Socket): void {
  this.pause();
}
