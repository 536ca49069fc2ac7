/**
 * How many calls to the regulator are under way at the same time, over all workers on all machines
 * (REGULATOR_CONCURRENCY). A process leases slots by the database's clock and uses each for many calls: a call costs no
 * statement. A process that vanishes, however it does, frees its slots when their lease is over.
 */
import { randomUUID } from 'node:crypto';
import { RegulatorUnavailable } from '../domain/errors.ts';
import type { Orm } from './orm.ts';
import { query } from './query.ts';

export interface RegulatorSlots {
  /**
   * Runs a call as soon as there is a slot; who waits longer comes first. Rejects with the signal's reason when it is
   * aborted while waiting.
   *
   * @param call gets a signal that is aborted with the given one, or when the slot is lost: then it must end
   */
  use<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How long a slot is held without being heard of. */
const LEASE_MS = 6_000;
/** How often the leases are prolonged, unused ones given back, and slots that others want passed on. */
const TICK_MS = 1_000;
/** How often a process that waits asks whether another has given a slot back. */
const RETRY_MS = 100;
/** After it has passed a slot on, a process lets the others ask first. */
const COURTESY_MS = 2 * RETRY_MS;
/** The row in which a process says that it waits: a slot number that no call has. */
const WANTED = 0;

/** $1 holder, $2 limit, $3 how many, $4 lease. A slot that another process takes at the same moment is left to it. */
const ACQUIRE = `insert into regulator_slot (slot, holder, expires_at)
  select n, $1, clock_timestamp() + $4 * interval '1 millisecond'
    from generate_series(1, $2::int) n left join regulator_slot s on s.slot = n
   where s.slot is null or s.expires_at <= clock_timestamp() order by n limit $3
  on conflict (slot) do update set holder = excluded.holder, expires_at = excluded.expires_at
   where regulator_slot.expires_at <= clock_timestamp() returning slot`;
/** $1 holder, $2 lease. Says too whether another process waits. */
const RENEW = `with renewed as (
    update regulator_slot set expires_at = clock_timestamp() + $2 * interval '1 millisecond'
     where holder = $1 and slot <> ${WANTED} returning slot
  )
  select coalesce((select array_agg(slot) from renewed), '{}') as slots,
         exists (select from regulator_slot
                  where slot = ${WANTED} and holder <> $1 and expires_at > clock_timestamp()) as wanted`;
/** $1 holder, $2 slots. Their rows go: a renewal under way at the same moment, or a later one, finds nothing to prolong. */
const RELEASE = `delete from regulator_slot where holder = $1 and slot = any($2::int[])`;
/** $1 holder, $2 for how long. */
const WANT = `insert into regulator_slot (slot, holder, expires_at)
  values (${WANTED}, $1, clock_timestamp() + $2 * interval '1 millisecond')
  on conflict (slot) do update set holder = excluded.holder, expires_at = excluded.expires_at`;

interface Slot {
  number: number;
  /** Aborted when the lease is over and could not be prolonged. */
  lost: AbortController;
  /** By `performance.now()`, from before the statement that gave it: never later than the database's own end. */
  endsAt: number;
  usedAt: number;
}

export function createRegulatorSlots(orm: Orm, limit: number): RegulatorSlots {
  const holder = randomUUID();
  const held = new Map<number, Slot>();
  const idle: Slot[] = [];
  const waiting: { resolve: (slot: Slot) => void }[] = [];
  /** How many slots are to be passed on to other processes. */
  let owed = 0;
  let asking: Promise<void> | null = null;
  let courteousUntil = 0;
  let closed = false;
  const ticking = setInterval(() => void tick().catch(() => {}), TICK_MS);
  ticking.unref();

  /** Asks for as many slots as calls wait for, until none waits or there are no more to be had. */
  function ask(): void {
    asking ??= (async () => {
      while (waiting.length > 0 && held.size < limit && !closed) {
        const got = performance.now() < courteousUntil ? 0 : await acquire(waiting.length);
        if (got === 0) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    })().finally(() => {
      asking = null;
    });
  }

  async function acquire(most: number): Promise<number> {
    const endsAt = performance.now() + LEASE_MS;
    try {
      const rows = await query<{ slot: number }>(orm, ACQUIRE, [holder, limit, most, LEASE_MS]);
      for (const { slot: number } of rows) {
        const slot = { number, lost: new AbortController(), endsAt, usedAt: performance.now() };
        held.set(number, slot);
        pass(slot);
      }
      if (rows.length < most && held.size < limit) await query(orm, WANT, [holder, TICK_MS * 2]);
      return rows.length;
    } catch {
      // The database is away: asked again.
      return 0;
    }
  }

  /** To whoever waits longest. */
  function pass(slot: Slot): void {
    const next = waiting.shift();
    if (next) next.resolve(slot);
    else idle.push(slot);
  }

  function give(slot: Slot): void {
    slot.usedAt = performance.now();
    if (held.get(slot.number) !== slot) return;
    if (owed > 0 || closed) void release([slot]).catch(() => {});
    else pass(slot);
  }

  /** When it fails the lease runs out by itself. */
  async function release(slots: readonly Slot[]): Promise<void> {
    if (slots.length === 0) return;
    for (const slot of slots) held.delete(slot.number);
    if (owed > 0) courteousUntil = performance.now() + COURTESY_MS;
    owed = Math.max(0, owed - slots.length);
    await query(orm, RELEASE, [holder, slots.map(({ number }) => number)]);
    ask();
  }

  async function tick(): Promise<void> {
    if (held.size === 0) return;
    const endsAt = performance.now() + LEASE_MS;
    try {
      const [row] = await query<{ slots: number[]; wanted: boolean }>(orm, RENEW, [holder, LEASE_MS]);
      for (const slot of held.values()) if (row?.slots.includes(slot.number)) slot.endsAt = endsAt;
      owed = row?.wanted ? Math.ceil(held.size / 4) : 0;
    } finally {
      dropLost();
    }
    const unused = idle.filter(({ usedAt }) => owed > 0 || performance.now() - usedAt > TICK_MS);
    for (const slot of unused) idle.splice(idle.indexOf(slot), 1);
    await release(unused);
  }

  /** A tick before their end, so that no call outlives the lease of its slot. */
  function dropLost(): void {
    const now = performance.now();
    for (const slot of held.values()) {
      if (slot.endsAt - TICK_MS > now) continue;
      held.delete(slot.number);
      if (idle.includes(slot)) idle.splice(idle.indexOf(slot), 1);
      slot.lost.abort(
        new RegulatorUnavailable('The slot for calls to the regulator was lost: the database is away'),
      );
    }
    ask();
  }

  function next(signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    const free = idle.pop();
    if (free) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      const entry = {
        resolve: (slot: Slot) => {
          signal.removeEventListener('abort', giveUp);
          resolve(slot);
        },
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(entry);
      ask();
    });
  }

  return {
    async use(signal, call) {
      const slot = await next(signal);
      try {
        return await call(AbortSignal.any([signal, slot.lost.signal]));
      } finally {
        give(slot);
      }
    },
    async close() {
      closed = true;
      clearInterval(ticking);
      await asking;
      await release(idle.splice(0)).catch(() => {});
    },
  };
}
