/**
 * How many calls to the regulator are under way at the same time, over all workers on all machines
 * (REGULATOR_CONCURRENCY). Each call holds one of as many advisory locks of PostgreSQL; a worker that dies
 * loses its connection, and with it its locks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Orm } from './orm.ts';

export interface RegulatorSlots {
  /** Runs a call as soon as there is a slot. Rejects with the signal's reason when it is aborted while waiting. */
  use<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** First half of the two-part lock key: tells these locks from all others of the database. */
const LOCK_CLASS = 0x5e9_0001;
const RETRY_MS = 100;

type Pinned = ReturnType<ReturnType<Orm['em']['fork']>['getKysely']>;

export function createRegulatorSlots(orm: Orm, limit: number): RegulatorSlots {
  const connection = new PinnedConnection(orm);
  /** Locks belong to the session, which may take its own again: what this process holds, it has to know itself. */
  const held = new Set<number>();

  async function acquire(signal: AbortSignal): Promise<number> {
    for (;;) {
      for (let slot = 1; slot <= limit; slot += 1) {
        if (held.has(slot)) continue;
        held.add(slot);
        if (await tryLock(slot)) return slot;
        held.delete(slot);
      }
      await sleep(RETRY_MS, undefined, { signal });
    }
  }

  async function tryLock(slot: number): Promise<boolean> {
    try {
      return await connection.call('pg_try_advisory_lock', slot);
    } catch (error) {
      held.delete(slot);
      throw error;
    }
  }

  return {
    async use(signal, call) {
      const slot = await acquire(signal);
      try {
        return await call();
      } finally {
        // A connection that is gone has taken its locks with it.
        await connection.call('pg_advisory_unlock', slot).catch(() => {});
        held.delete(slot);
      }
    },
    close: () => connection.close(),
  };
}

/** One connection kept out of the pool: advisory locks belong to their connection. Opened anew when it breaks. */
class PinnedConnection {
  readonly #orm: Orm;
  #open: Promise<Pinned> | undefined;
  #release: () => void = () => {};
  #ended: Promise<unknown> = Promise.resolve();

  constructor(orm: Orm) {
    this.#orm = orm;
  }

  async call(name: 'pg_try_advisory_lock' | 'pg_advisory_unlock', slot: number): Promise<boolean> {
    this.#open ??= this.#connect();
    try {
      const pinned = await this.#open;
      const row = await pinned
        .selectNoFrom((eb) => eb.fn<boolean>(name, [eb.val(LOCK_CLASS), eb.val(slot)]).as('done'))
        .executeTakeFirstOrThrow();
      return row.done;
    } catch (error) {
      this.#release();
      this.#open = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#release();
    await this.#ended;
  }

  #connect(): Promise<Pinned> {
    return new Promise((resolve, reject) => {
      const released = new Promise<void>((release) => {
        this.#release = release;
      });
      this.#ended = this.#orm.em
        .fork()
        .getKysely()
        .connection()
        .execute(async (pinned) => {
          resolve(pinned as Pinned);
          await released;
        })
        .catch(reject);
    });
  }
}
