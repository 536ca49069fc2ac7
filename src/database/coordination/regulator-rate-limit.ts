/**
 * Rate limit of calls to the regulator, over all workers on all machines: evenly spaced, at REGULATOR_RATE_PER_SECOND,
 * and not before a `Retry-After` has passed. All times are the database's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pTimeout from 'p-timeout';
import { createSingleFlightCache } from '../../common/single-flight-cache.ts';
import { RegulatorRateLimited } from '../../domain/client-errors.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';

/** Longest delay until a process notices another process's `Retry-After`: like a call that was already sent. */
const NOTICE_MS = 500;

/**
 * Maximum number of waiting calls. A `next_call_at` beyond them comes from a wrong database clock or an earlier rate, and
 * the present time replaces it.
 */
const MAX_WAITING = 1_000;

/** A year. */
const FOREVER_MS = 365 * 24 * 60 * 60 * 1000;

/** As the `CallOptions` of src/regulator/port.ts. */
interface Wait {
  signal?: AbortSignal;
  waitSignal?: AbortSignal;
  maxWaitMs?: number;
}

export type RateLimit = ReturnType<typeof createRegulatorRateLimit>;

/**
 * Limits the rate of calls to the regulator, over all processes.
 *
 * @param ratePerSecond calls that may begin per second; null for no limit
 */
export function createRegulatorRateLimit(orm: Orm, ratePerSecond: number | null) {
  const db = statements(orm.em.fork());

  /** Milliseconds until the permit is valid; null if none is available in time. */
  async function takePermit(maxWaitMs: number): Promise<number | null> {
    if (ratePerSecond === null) {
      await refuseWhileClosed();
      return 0;
    }
    const spacing = 1 / ratePerSecond;
    const furthest = sql`clock_timestamp() + make_interval(secs => ${MAX_WAITING * spacing})`;
    const next = sql`case when next_call_at > ${furthest} then clock_timestamp() else next_call_at end`;
    const row = await db.row<{ waitMs: number }>`
      update regulator_rate_limit
         set next_call_at = greatest(${next}, clock_timestamp()) + make_interval(secs => ${spacing})
       where closed_until <= clock_timestamp()
         and ${next} <= clock_timestamp() + ${maxWaitMs} * interval '1 millisecond'
      returning (extract(epoch from next_call_at - clock_timestamp()) - ${spacing})::float * 1000 as wait_ms
    `;
    return row?.waitMs ?? null;
  }

  async function closedForMs(): Promise<number> {
    const row = await db.row<{ ms: number }>`
      select extract(epoch from closed_until - clock_timestamp())::float * 1000 as ms from regulator_rate_limit
    `;
    return row?.ms ?? 0;
  }

  const closed = createSingleFlightCache(closedForMs, (ms) => (ms > 0 ? 0 : NOTICE_MS));

  async function refuseWhileClosed(): Promise<void> {
    const ms = await closed.get();
    if (ms > 0) throw new RegulatorRateLimited(Math.ceil(ms / 1000));
  }

  /** @param maxWaitMs longest wait for a permit; undefined for any */
  async function untilPermitted(maxWaitMs?: number, signal?: AbortSignal): Promise<void> {
    const waitMs = await takePermit(maxWaitMs ?? FOREVER_MS);
    if (waitMs === null) {
      // A call without a limit to its wait is refused only during a `Retry-After`. The cached answer may be older than
      // that.
      if (maxWaitMs === undefined) closed.invalidate();
      await refuseWhileClosed();
      // The `Retry-After` has passed meanwhile.
      if (maxWaitMs === undefined) return untilPermitted(undefined, signal);
      throw new RegulatorRateLimited(
        1,
        `REGULATOR_RATE_PER_SECOND allows no call within ${maxWaitMs} ms: other calls come first`,
      );
    }
    if (waitMs <= 0) return;
    await sleep(Math.ceil(waitMs), undefined, signal && { signal });
    await refuseWhileClosed();
  }

  return {
    /**
     * Waits for the permit of a call, which must begin then. Rejects with the reason of `waitSignal` when it is aborted,
     * also while the database does not answer: a call with a lost slot does not wait for it.
     *
     * @throws RegulatorRateLimited while the regulator rejects calls, or if the permit would come later than in
     *   `maxWaitMs`. Such a permit is not taken: Temporal retries the call.
     */
    async acquire({
      signal: callSignal,
      waitSignal: signal = callSignal,
      maxWaitMs,
    }: Wait = {}): Promise<void> {
      const permitted = untilPermitted(maxWaitMs, signal);
      await pTimeout(permitted, { milliseconds: Number.POSITIVE_INFINITY, ...(signal && { signal }) });
    },

    /** Stops all calls for the regulator's `Retry-After`, in seconds. */
    async pause(seconds: number): Promise<void> {
      closed.invalidate();
      await db.run`
        update regulator_rate_limit
           set closed_until = greatest(closed_until, clock_timestamp() + make_interval(secs => ${seconds}))
      `;
    },
  };
}
