/**
 * Limits what the reads of one client take from others: database work at the same time, and memory until the client has
 * taken the answer. Both are reserved before anything is loaded (decision §reading-has-a-budget).
 */
import type { ServerResponse } from 'node:http';
import { createReadingBudget, type ReadingBudget, type Release } from '../../common/reading-budget.ts';
import { ENTRY_BYTES } from '../../contract/limits.ts';
import { badRequest, HttpError } from '../http-error.ts';

/** Memory of all answers that a process loads or sends. */
const READ_MEMORY_BYTES = 32 * 1024 * 1024;
/** Part of it for one client. A larger answer gets the whole part, alone. */
const SHARE_OF_A_CLIENT = 1 / 4;
/** Longest time that a read waits for its client's earlier reads, and for memory. */
const LONGEST_WAIT_MS = 20_000;
const RETRY_S = '10';

/** Estimated memory of an answer that is no list: one record, or a page of a streamed answer with its notes. */
export const READ_BYTES = 1024 * 1024;

interface ReadLimits {
  /** Reads of one client that load their data at the same time. */
  atOnce: number;
  memoryBytes?: number;
  longestWaitMs?: number;
}

/**
 * Place and memory that one request holds. It ends when the client has taken the answer or is disconnected, and no data is
 * being loaded.
 */
export interface Read {
  /**
   * Waits for a place and for memory. To be called before the data is loaded. It first gives back what the read holds.
   *
   * @throws HttpError 429 if others hold the memory for too long
   */
  reserve(bytes: number): Promise<void>;
  /**
   * To be called once the data is loaded, or cannot be. Gives the place back. Keeps `bytes` of the memory for the answer, by
   * default all.
   */
  loaded(bytes?: number): void;
}

export type Reads = (clientId: string, response: ServerResponse) => Read;

interface ClientReads {
  places: ReadingBudget;
  memory: ReadingBudget;
  /** Requests under way. */
  requests: number;
}

export function createReads({
  atOnce,
  memoryBytes = READ_MEMORY_BYTES,
  longestWaitMs = LONGEST_WAIT_MS,
}: ReadLimits): Reads {
  const bytesOfAClient = memoryBytes * SHARE_OF_A_CLIENT;
  const memory = createReadingBudget(memoryBytes);
  const clients = new Map<string, ClientReads>();

  function enter(clientId: string): ClientReads {
    const client = clients.get(clientId) ?? {
      places: createReadingBudget(atOnce),
      memory: createReadingBudget(bytesOfAClient),
      requests: 0,
    };
    client.requests += 1;
    clients.set(clientId, client);
    return client;
  }

  return (clientId, response) => {
    const client = enter(clientId);
    /** Whether the answer is taken, or the client is disconnected; whether the read has given back all that it held. */
    let ended = false;
    let left = false;
    let stopWaiting = () => {};
    let place: Release | null = null;
    const memories: Release[] = [];

    const giveBack = () => {
      place?.();
      place = null;
      for (const release of memories.splice(0)) release();
    };
    /** Ends the read, unless its data is being loaded: a statement runs on without its client. */
    const leave = () => {
      if (!ended || left || place !== null) return;
      left = true;
      giveBack();
      client.requests -= 1;
      if (client.requests === 0) clients.delete(clientId);
    };
    const end = () => {
      ended = true;
      stopWaiting();
      leave();
    };
    if (response.destroyed) end();
    else response.once('close', end);

    return {
      async reserve(wanted) {
        giveBack();
        const bytes = Math.min(wanted, bytesOfAClient);
        const waiting = new AbortController();
        const { signal } = waiting;
        stopWaiting = () => waiting.abort();
        const timer = setTimeout(stopWaiting, longestWaitMs);
        if (ended) stopWaiting();
        try {
          place = await client.places.reserve(1, signal);
          memories.push(await client.memory.reserve(bytes, signal));
          memories.push(await memory.reserve(bytes, signal));
          // The client may have left in the moment of the last admission.
          signal.throwIfAborted();
        } catch {
          giveBack();
          leave();
          throw ended ? disconnected() : tooManyReads();
        } finally {
          clearTimeout(timer);
          stopWaiting = () => {};
        }
      },
      loaded(bytes = Number.POSITIVE_INFINITY) {
        place?.();
        place = null;
        for (const release of memories) release(bytes);
        leave();
      },
    };
  };
}

/** Estimated memory of a page of a list. */
export function pageBytes(limit: number): number {
  return limit * ENTRY_BYTES;
}

function tooManyReads(): HttpError {
  const message =
    'Too many answers are being read at the same time. Read the answers of earlier requests, then try again.';
  return new HttpError('too_many_requests', message, { headers: { 'Retry-After': RETRY_S } });
}

function disconnected(): HttpError {
  return badRequest('The client disconnected before its answer.');
}
