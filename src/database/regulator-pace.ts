/**
 * When calls to the regulator may begin, over all workers on all machines: evenly spaced, as often as
 * REGULATOR_RATE_PER_SECOND allows, and not before a `Retry-After` has passed. All times are the database's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RegulatorRateLimited } from '../domain/errors.ts';
import type { Orm } from './orm.ts';

/**
 * The `Pace` of src/regulator/paced-regulator.ts.
 *
 * @param ratePerSecond calls that may begin per second; undefined for as many as there are
 */
export function createRegulatorPace(orm: Orm, ratePerSecond: number | undefined) {
  /** Milliseconds until the turn that was taken; null when the regulator does not want to be called. */
  async function takeTurn(): Promise<number | null> {
    if (ratePerSecond === undefined) return (await closedForMs()) > 0 ? null : 0;
    const [turn] = await orm.em.fork().execute<{ wait_ms: number }[]>(
      `update regulator_pace
          set next_call_at = greatest(next_call_at, clock_timestamp()) + make_interval(secs => ?)
        where closed_until <= clock_timestamp()
        returning (extract(epoch from next_call_at - clock_timestamp()) - ?)::float * 1000 as wait_ms`,
      [1 / ratePerSecond, 1 / ratePerSecond],
    );
    return turn ? turn.wait_ms : null;
  }

  async function closedForMs(): Promise<number> {
    const [row] = await orm.em
      .fork()
      .execute<{ ms: number }[]>(
        'select extract(epoch from closed_until - clock_timestamp())::float * 1000 as ms from regulator_pace',
      );
    return row?.ms ?? 0;
  }

  async function refuseWhileClosed(): Promise<void> {
    const ms = await closedForMs();
    if (ms > 0) throw new RegulatorRateLimited(Math.ceil(ms / 1000));
  }

  return {
    async turn(signal?: AbortSignal): Promise<void> {
      for (;;) {
        const waitMs = await takeTurn();
        if (waitMs !== null) {
          if (waitMs <= 0) return;
          await sleep(Math.ceil(waitMs), undefined, signal && { signal });
        }
        await refuseWhileClosed();
        if (waitMs !== null) return;
        // It was closed a moment ago and is open now: there is a turn to be had.
      }
    },

    async pause(seconds: number): Promise<void> {
      await orm.em
        .fork()
        .execute(
          'update regulator_pace set closed_until = greatest(closed_until, clock_timestamp() + make_interval(secs => ?))',
          [seconds],
        );
    },
  };
}
