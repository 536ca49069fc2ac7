/**
 * How many calls to the regulator are under way at the same time, over all workers on all machines
 * (REGULATOR_CONCURRENCY). Each holds one of as many advisory locks of PostgreSQL; a worker that dies loses its
 * connection, and with it its locks.
 */
import pTimeout from 'p-timeout';
import { tryLockSlot, unlockSlot } from './locks.ts';
import type { Orm } from './orm.ts';

export interface RegulatorSlots {
  /** Runs a call as soon as there is a slot. Rejects with the signal's reason when it is aborted while waiting. */
  use<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const RETRY_MS = 100;

/**
 * The first free slot, locked. Locks belong to the session, which would be given its own ones again: those that
 * this process holds are left out. (`case` and `limit` keep PostgreSQL from locking more than one.)
 */
const LOCK_ONE = `select slot from generate_series(1, ?) as slot
  where case when slot = any(?::int[]) then false else ${tryLockSlot('slot')} end limit 1`;

export function createRegulatorSlots(orm: Orm, limit: number): RegulatorSlots {
  const connection = createPinnedConnection(orm);
  const held = new Set<number>();
  /** Whoever waits, waits for the one before: a process asks for one slot at a time, in order. */
  let queue: Promise<unknown> = Promise.resolve();
  let wake = () => {};

  function inLine<T>(work: () => Promise<T>): Promise<T> {
    const turn = queue.then(work);
    queue = turn.catch(() => {});
    return turn;
  }

  async function acquire(signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      const slot = held.size < limit ? await lockOne() : undefined;
      if (slot !== undefined) {
        held.add(slot);
        return slot;
      }
      await released(signal);
    }
  }

  async function lockOne(): Promise<number | undefined> {
    const [row] = await connection.execute<{ slot: number }>(LOCK_ONE, [limit, `{${[...held].join(',')}}`]);
    return row?.slot;
  }

  /** Resolves when this process has released a slot, or another may have. */
  async function released(signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await pTimeout(woken, { milliseconds: RETRY_MS, message: false, signal });
  }

  async function release(slot: number): Promise<void> {
    // A connection that is gone has taken its locks with it.
    await connection.execute(`select ${unlockSlot('?')}`, [slot]).catch(() => {});
    held.delete(slot);
    wake();
  }

  return {
    async use(signal, call) {
      const slot = await inLine(() => acquire(signal));
      try {
        return await call();
      } finally {
        await release(slot);
      }
    },
    close: () => connection.close(),
  };
}

interface PinnedConnection {
  execute<T>(statement: string, values: unknown[]): Promise<T[]>;
  close(): Promise<void>;
}

/** One connection kept out of the pool: advisory locks belong to their connection. Opened anew when it breaks. */
function createPinnedConnection(orm: Orm): PinnedConnection {
  let open: OpenConnection | undefined;

  return {
    async execute(statement, values) {
      open ??= connect(orm);
      const used = open;
      try {
        return await used.execute(statement, values);
      } catch (error) {
        // Another statement may have found it broken before, and opened the next one.
        if (open === used) open = undefined;
        await used.giveBack();
        throw error;
      }
    },
    async close() {
      await open?.giveBack();
    },
  };
}

interface OpenConnection {
  execute<T>(statement: string, values: unknown[]): Promise<T[]>;
  /** Its locks end with it. */
  giveBack(): Promise<void>;
}

type Context = Parameters<ReturnType<Orm['em']['getConnection']>['execute']>[3];

function connect(orm: Orm): OpenConnection {
  const connection = orm.em.getConnection();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: opened, resolve, reject } = Promise.withResolvers<Context>();
  const run = <T>(statement: string, values: unknown[], context: Context) =>
    connection.execute<T[]>(statement, values, 'all', context);
  const ended = orm.em
    .fork()
    .getKysely()
    .connection()
    .execute(async (pinned) => {
      const context = pinned as unknown as Context;
      resolve(context);
      await released;
      // It may live on in the pool: nobody there knows of its locks. A broken one has none.
      await run('select pg_advisory_unlock_all()', [], context).catch(() => {});
    })
    .catch(reject);
  return {
    execute: async (statement, values) => run(statement, values, await opened),
    async giveBack() {
      release();
      await ended;
    },
  };
}
