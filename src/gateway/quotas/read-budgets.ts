/**
 * Limits what the reads of one client, and of one of its people, take from others: database work at the same time, and
 * memory until the answer is taken. Both are reserved before anything is loaded (decision §reading-has-a-budget).
 */
import type { ServerResponse } from 'node:http';
import { createSemaphore, type Release } from '../../common/semaphore.ts';
import { ENTRY_BYTES } from '../../contract/limits.ts';
import { withoutName } from '../../domain/actors.ts';
import { badRequest, HttpError } from '../http-error.ts';
import type { Caller } from '../tokens/access-token.ts';

/** Memory of all answers that a process loads or sends. */
const READ_MEMORY_BYTES = 32 * 1024 * 1024;
/** Part of it for one program or person. A larger answer gets the whole part, alone. */
const SHARE_OF_AN_ACTOR = 1 / 4;
/** Part of it for all people who use the same client. */
const SHARE_OF_A_CLIENT = 3 / 4;
/** Longest time that a read waits for earlier reads, and for memory. */
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
 * Place and memory that one request holds. It ends when the client has taken the answer or is disconnected, and no data
 * is being loaded.
 */
export interface ReadBudget {
  /**
   * Waits for a place and for memory. To be called before the data is loaded. It first releases what the request holds.
   *
   * @throws HttpError 429 if others hold the memory for too long
   */
  reserve(bytes: number): Promise<void>;
  /**
   * To be called once the data is loaded, or cannot be. Releases the place. Keeps `bytes` of the memory for the answer,
   * by default all.
   */
  loaded(bytes?: number): void;
}

export type ReadBudgets = ReturnType<typeof createReadBudgets>;

export function createReadBudgets({
  atOnce,
  memoryBytes = READ_MEMORY_BYTES,
  longestWaitMs = LONGEST_WAIT_MS,
}: ReadLimits) {
  const bytesOfAnActor = memoryBytes * SHARE_OF_AN_ACTOR;
  const memory = createSemaphore(memoryBytes);
  const actors = createShares(() => createSemaphore(bytesOfAnActor));
  const clients = createShares(() => ({
    places: createSemaphore(atOnce),
    memory: createSemaphore(memoryBytes * SHARE_OF_A_CLIENT),
  }));

  return ({ clientId, actor }: Pick<Caller, 'clientId' | 'actor'>, response: ServerResponse): ReadBudget => {
    const own = actors.enter(withoutName(actor));
    const client = clients.enter(clientId);
    /** Aborted when the answer is taken, or the client is disconnected. */
    const ended = new AbortController();
    /** The read has released all that it held. */
    let left = false;
    let place: Release | null = null;
    const memories: Release[] = [];

    const releaseAll = () => {
      place?.();
      place = null;
      for (const release of memories.splice(0)) release();
    };
    /** Ends the read, unless its data is being loaded: a statement runs on without its client. */
    const leave = () => {
      if (!ended.signal.aborted || left || place !== null) return;
      left = true;
      releaseAll();
      own.leave();
      client.leave();
    };
    const end = () => {
      ended.abort();
      leave();
    };
    if (response.destroyed) end();
    else response.once('close', end);

    return {
      async reserve(wanted) {
        releaseAll();
        const bytes = Math.min(wanted, bytesOfAnActor);
        const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(longestWaitMs)]);
        try {
          // Reserves the person's own memory before the place, so that a person who waits for memory takes no place from
          // others.
          memories.push(await own.share.reserve(bytes, signal));
          place = await client.share.places.reserve(1, signal);
          memories.push(await client.share.memory.reserve(bytes, signal));
          memories.push(await memory.reserve(bytes, signal));
          // The client may have left in the moment of the last admission.
          signal.throwIfAborted();
        } catch {
          releaseAll();
          leave();
          throw ended.signal.aborted
            ? badRequest('The client disconnected before its answer.')
            : tooManyReads();
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

/** Budgets by key. All requests with one key share one, which exists as long as there is such a request. */
function createShares<T>(create: () => T) {
  const shares = new Map<string, { share: T; requests: number }>();
  return {
    enter(key: string): { share: T; leave(): void } {
      const entry = shares.get(key) ?? { share: create(), requests: 0 };
      entry.requests += 1;
      shares.set(key, entry);
      return {
        share: entry.share,
        leave() {
          entry.requests -= 1;
          if (entry.requests === 0) shares.delete(key);
        },
      };
    },
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
