/**
 * Limits the concurrent calls to the regulator, over all workers on all machines (REGULATOR_CONCURRENCY). A process
 * leases slots (src/domain/slot-leases.ts) and uses each for many calls: a call costs no statement. The statements run
 * on their own connection, one after the other.
 */
import { randomUUID } from 'node:crypto';
import { RegulatorUnavailable } from '../../domain/client-errors.ts';
import { createSlotLeases, type Lease } from '../../domain/slot-leases.ts';
import { type Orm, ownConnection } from '../orm.ts';
import { createRegulatorSlotRows } from './regulator-slot-rows.ts';

export type RegulatorSlots = ReturnType<typeof createRegulatorSlots>;

/** Interval for dropping expired leases and for requesting slots for waiting calls. */
const TICK_MS = 100;
/** Interval for renewing leases, returning unused ones and handing slots over to other processes. */
const RENEWAL_MS = 1_000;
/** Limit for a connection and for an answer: two attempts fit into a lease. */
const STATEMENT_MS = 2_000;
/** Time without requests after slots were handed over: other processes request first. */
const YIELD_MS = 2 * TICK_MS;
/** Pause after a statement that failed or returned too few slots: the ends of calls trigger no statement meanwhile. */
const PAUSE_MS = TICK_MS / 2;

export function createRegulatorSlots(orm: Orm, limit: number) {
  const connection = ownConnection(orm, STATEMENT_MS);
  const rows = createRegulatorSlotRows(connection, randomUUID());
  const leases = createSlotLeases(
    () =>
      new RegulatorUnavailable(
        'This call to the regulator has lost its slot: the lease was not renewed in time',
      ),
  );
  const waiting: ((lease: Lease) => void)[] = [];
  /** Number of slots to hand over to other processes. */
  let toHandOver = 0;
  /** Ids of leases that are released before their end. */
  const toRelease: string[] = [];
  let yieldUntil = 0;
  let pausedUntil = 0;
  let renewAt = 0;
  let closed = false;
  let inFlight: Promise<void> | null = null;
  const ticking = setInterval(() => {
    leases.dropEnded(performance.now());
    sync();
  }, TICK_MS);
  ticking.unref();

  /** Runs one statement at a time. A failed renewal or request is repeated at the next tick. */
  function sync(): void {
    if (closed || performance.now() < pausedUntil) return;
    inFlight ??= exchange()
      .catch(pause)
      .finally(() => {
        inFlight = null;
      });
  }

  function pause(): void {
    pausedUntil = performance.now() + PAUSE_MS;
  }

  async function exchange(): Promise<void> {
    if (performance.now() >= renewAt) await renew();
    // After a failure the rows expire.
    if (toRelease.length > 0) await rows.release(toRelease.splice(0));
    while (waiting.length > 0 && leases.size() < limit && performance.now() >= yieldUntil)
      if (!(await acquire(waiting.length))) return pause();
  }

  async function renew(): Promise<void> {
    const ids = leases.ids();
    const askedAt = performance.now();
    if (ids.length > 0) {
      const { renewed, wanted } = await rows.renew(ids);
      leases.renewed(ids, renewed, askedAt);
      toHandOver = wanted ? Math.ceil(leases.size() / 4) : 0;
      handOverAndServe();
      // Another process has calls for slots that no call here needs now.
      const unusedSince = wanted ? performance.now() : askedAt - RENEWAL_MS;
      toRelease.push(...leases.dropUnused(unusedSince));
    }
    renewAt = askedAt + RENEWAL_MS;
  }

  /** Returns whether all were granted. */
  async function acquire(count: number): Promise<boolean> {
    const askedAt = performance.now();
    const ids = await rows.acquire(limit, count);
    leases.granted(ids, askedAt);
    handOverAndServe();
    if (ids.length === count) return true;
    if (leases.size() < limit) await rows.want(2 * RENEWAL_MS);
    return false;
  }

  /** Hands free leases over to other processes, then assigns the others to the calls that waited longest. */
  function handOverAndServe(): void {
    if (toHandOver > 0) {
      const handedOver = leases.dropUnused(performance.now(), toHandOver);
      if (handedOver.length > 0) yieldUntil = performance.now() + YIELD_MS;
      toHandOver -= handedOver.length;
      toRelease.push(...handedOver);
    }
    while (waiting.length > 0) {
      const lease = leases.take(performance.now());
      if (lease === null) break;
      waiting.shift()?.(lease);
    }
    if (waiting.length > 0 || toRelease.length > 0) sync();
  }

  function next(signal: AbortSignal): Promise<Lease> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const granted = (lease: Lease) => {
      signal.removeEventListener('abort', giveUp);
      resolve(lease);
    };
    const giveUp = () => {
      waiting.splice(waiting.indexOf(granted), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.push(granted);
    handOverAndServe();
    return promise;
  }

  return {
    /**
     * Runs a call as soon as a slot is free, in the order of the calls. Rejects with the reason of `waitSignal` if that
     * is aborted during the wait.
     *
     * @param call gets a signal that is aborted with `signal`, or when the lease is lost: then the call must end
     * @param waitSignal by default `signal`
     */
    async use<T>(
      signal: AbortSignal,
      call: (signal: AbortSignal) => Promise<T>,
      waitSignal = signal,
    ): Promise<T> {
      const lease = await next(waitSignal);
      try {
        return await call(AbortSignal.any([signal, lease.lost.signal]));
      } finally {
        leases.free(lease, performance.now());
        handOverAndServe();
      }
    },

    /** Aborts pending calls. */
    async close(): Promise<void> {
      closed = true;
      clearInterval(ticking);
      await inFlight;
      const unused = [...toRelease, ...leases.dropUnused(performance.now())];
      if (unused.length > 0) await rows.release(unused).catch(() => {});
      leases.dropAll();
      await connection.destroy();
    },
  };
}
