/**
 * When calls to the regulator may begin, over all workers on all machines: evenly spaced, as often as
 * REGULATOR_RATE_PER_SECOND allows, and not before a `Retry-After` has passed. All times are the database's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pTimeout from 'p-timeout';
import { RegulatorRateLimited } from '../domain/errors.ts';
import type { Orm } from './orm.ts';

/** How late a process may notice that another one was asked to wait: as late as a call that was on its way. */
const NOTICE_MS = 500;

/** A year. */
const FOREVER_MS = 365 * 24 * 60 * 60 * 1000;

/**
 * The `Pace` of src/regulator/paced-regulator.ts.
 *
 * @param ratePerSecond calls that may begin per second; undefined for as many as there are
 */
export function createRegulatorPace(orm: Orm, ratePerSecond: number | undefined) {
  const database = () => orm.em.fork().getKysely();

  /** Milliseconds until the turn that was taken; null when there is none to be had in time. */
  async function takeTurn(patienceMs: number): Promise<number | null> {
    if (ratePerSecond === undefined) {
      await refuseWhileClosed();
      return 0;
    }
    const spacing = 1 / ratePerSecond;
    const { rows } = await sql<{ waitMs: number }>`
      update regulator_pace
         set next_call_at = greatest(next_call_at, clock_timestamp()) + make_interval(secs => ${spacing})
       where closed_until <= clock_timestamp()
         and next_call_at <= clock_timestamp() + ${patienceMs} * interval '1 millisecond'
      returning (extract(epoch from next_call_at - clock_timestamp()) - ${spacing})::float * 1000 as "waitMs"
    `.execute(database());
    return rows[0]?.waitMs ?? null;
  }

  async function closedForMs(): Promise<number> {
    const { rows } = await sql<{ ms: number }>`
      select extract(epoch from closed_until - clock_timestamp())::float * 1000 as ms from regulator_pace
    `.execute(database());
    return rows[0]?.ms ?? 0;
  }

  /** Until then no other process can have told that the regulator is closed without its being noticed in time. */
  let openUntil = 0;

  let looking: Promise<number> | undefined;

  async function refuseWhileClosed(): Promise<void> {
    if (performance.now() < openUntil) return;
    const asked = performance.now();
    looking ??= closedForMs().finally(() => {
      looking = undefined;
    });
    const ms = await looking;
    if (ms > 0) throw new RegulatorRateLimited(Math.ceil(ms / 1000));
    openUntil = asked + NOTICE_MS;
  }

  async function turn(patienceMs: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const waitMs = await takeTurn(patienceMs ?? FOREVER_MS);
      if (waitMs !== null) {
        if (waitMs <= 0) return;
        await sleep(Math.ceil(waitMs), undefined, signal && { signal });
      }
      await refuseWhileClosed();
      if (waitMs !== null) return;
      if (patienceMs !== undefined) throw new RegulatorRateLimited(1);
      // It was closed a moment ago and is open now: there is a turn to be had.
    }
  }

  return {
    /** A database that does not answer does not keep a call whose slot is lost: the signal ends every wait. */
    async turn({ signal, patienceMs }: { signal?: AbortSignal; patienceMs?: number } = {}): Promise<void> {
      const taken = turn(patienceMs, signal);
      if (signal) await pTimeout(taken, { milliseconds: Number.POSITIVE_INFINITY, signal });
      else await taken;
    },

    async pause(seconds: number): Promise<void> {
      openUntil = 0;
      await sql`
        update regulator_pace
           set closed_until = greatest(closed_until, clock_timestamp() + make_interval(secs => ${seconds}))
      `.execute(database());
    },
  };
}
