/** The regulator's limits, counted over all processes: two databases here stand for two processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createRegulatorRateLimit } from '../../src/database/coordination/regulator-rate-limit.ts';
import { RegulatorRateLimited, RegulatorUnavailable } from '../../src/domain/client-errors.ts';
import { openAgain, openOrm, openTestDatabase } from '../support/database.ts';
import { eventually, succeeds } from '../support/eventually.ts';
import { runSql } from '../support/servers.ts';
import { startTcpProxy, urlThrough } from '../support/tcp-proxy.ts';

const LIMIT = 3;
const NEVER = new AbortController().signal;

const { database: first, url } = await openTestDatabase();
const processes = [first, await openAgain(url)];

describe('slots', () => {
  /** Slots of both processes, and the number of running calls. */
  function crowd(limit = LIMIT) {
    const slots = processes.map((database) => database.regulatorSlots(limit));
    let [now, most] = [0, 0];
    return {
      slots,
      most: () => most,
      now: () => now,
      use: (process: number, work: () => Promise<unknown>, signal = NEVER) =>
        slots[process % slots.length]?.use(signal, async () => {
          now += 1;
          most = Math.max(most, now);
          await work();
          now -= 1;
        }),
      close: () => Promise.all(slots.map((one) => one.close())),
    };
  }

  it('never exceed the limit over all processes, and are all used', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ process: fc.nat(1), ms: fc.integer({ min: 5, max: 20 }) }), {
          minLength: 12,
          maxLength: 20,
        }),
        async (calls) => {
          const { use, most, now, close } = crowd();
          const allUsed = eventually(async () => now() === LIMIT);
          const work = calls.map(({ process, ms }) => use(process, () => allUsed.then(() => sleep(ms))));
          await Promise.all(work);
          await close();
          expect(most()).toBe(LIMIT);
        },
      ),
      { numRuns: 5 },
    );
  });

  it('are given in the order of requests', async () => {
    const { use, close } = crowd(1);
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        use(0, async () => {
          order.push(index);
        }),
      ),
    );
    await close();
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('serve the next call at once, not at the next renewal', async () => {
    const { use, close } = crowd(1);
    const since = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => use(0, async () => {})));
    // A renewal each would take twenty seconds.
    expect(performance.now() - since).toBeLessThan(5_000);
    await close();
  });

  it('are not lost when a waiting call is cancelled', async () => {
    const { use, most, now, close } = crowd(1);
    const held = Promise.withResolvers<void>();
    const holder = use(0, () => held.promise);
    await eventually(async () => now() === 1);
    const impatient = new AbortController();
    const waiting = [0, 0, 1].map((process) => use(process, async () => {}, impatient.signal));
    const refused = Promise.allSettled(waiting);
    impatient.abort(new Error('too long'));
    expect((await refused).map((one) => one.status)).toEqual(Array(3).fill('rejected'));
    held.resolve();
    await holder;
    await Promise.all([0, 1].map((process) => use(process, async () => {})));
    await close();
    expect(most()).toBe(1);
  });

  it('are neither lost nor doubled when connections break', async () => {
    const { use, most, now, close } = crowd();
    const held = Promise.withResolvers<void>();
    const first = Array.from({ length: LIMIT }, () => use(0, () => held.promise));
    await eventually(async () => now() === LIMIT);
    const waiting = [0, 1, 0, 1].map((process) => use(process, async () => {}));
    await runSql(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    held.resolve();
    await Promise.all([...first, ...waiting]);
    const again = Promise.withResolvers<void>();
    const all = [0, 1, 0, 1, 0, 1].map((process) => use(process, () => again.promise));
    await eventually(async () => now() === LIMIT);
    again.resolve();
    await Promise.all(all);
    await close();
    expect(most()).toBe(LIMIT);
  });

  it('are passed on by a process that always has calls to a waiting one', async () => {
    const { use, most, close } = crowd();
    let served = false;
    const busy = Array.from({ length: LIMIT * 2 }, async () => {
      while (!served) await use(0, () => sleep(5));
    });
    await use(1, async () => {
      served = true;
    });
    await Promise.all(busy);
    await close();
    expect(most()).toBeLessThanOrEqual(LIMIT);
  });

  it('of a dead process are free after their lease, by the clock of the database', async () => {
    const { use, close } = crowd(1);
    await runSql(url, 'delete from regulator_slot');
    await runSql(
      url,
      `insert into regulator_slot (slot, holder, expires_at) values (1, gen_random_uuid(), clock_timestamp() + interval '1.5 seconds')`,
    );
    const since = performance.now();
    await use(0, async () => {});
    expect(performance.now() - since).toBeGreaterThan(1_300);
    await close();
  });

  it('that cannot be renewed end their calls before another process gets them', async () => {
    const { slots, close } = crowd(1);
    const lost = slots[0]?.use(NEVER, async (signal) => {
      await runSql(url, 'update regulator_slot set holder = gen_random_uuid() where slot = 1');
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    });
    await expect(lost).rejects.toBeInstanceOf(RegulatorUnavailable);
    await close();
  });

  it('that were lost in an outage can all be used again, though calls return one by one', async () => {
    const proxy = await startTcpProxy([Number(new URL(url).port)]);
    const slots = (await openAgain(urlThrough(proxy, url))).regulatorSlots(LIMIT);
    let underWay = 0;
    const ending = new AbortController();
    const longCall = () =>
      slots
        .use(ending.signal, async (signal) => {
          underWay += 1;
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          underWay -= 1;
        })
        .catch(() => {});
    const lost = Array.from({ length: LIMIT }, longCall);
    await eventually(async () => underWay === LIMIT);
    proxy.refuse();
    await Promise.all(lost);
    await sleep(2_000);
    proxy.restore();
    const first = longCall();
    // Long enough for a renewal of the first lease.
    await sleep(2_500);
    const others = Array.from({ length: LIMIT - 1 }, longCall);
    await eventually(async () => underWay === LIMIT, 5_000).finally(() => ending.abort());
    await Promise.all([first, ...others]);
    await slots.close();
  });

  it('that a process has returned are not renewed with the others', async () => {
    await runSql(url, 'delete from regulator_slot');
    const { use, now, close } = crowd();
    const held = Promise.withResolvers<void>();
    const long = use(0, () => held.promise);
    const leases = () =>
      runSql<{ ends: number }>(
        url,
        'select extract(epoch from expires_at)::float8 * 1000 as ends from regulator_slot where slot > 0 and expires_at > clock_timestamp()',
      );
    await Promise.all([use(0, async () => {}), use(0, async () => {})]);
    const [first] = (await leases()).map(({ ends }) => ends).toSorted();
    // After the end of all three leases: the remaining ones were renewed since.
    await eventually(async () => {
      const [only, ...others] = await leases();
      return only !== undefined && others.length === 0 && only.ends > (first ?? 0) + 2_500;
    });
    const others = Array.from({ length: LIMIT - 1 }, () => use(1, () => held.promise));
    await eventually(async () => now() === LIMIT);
    held.resolve();
    await Promise.all([long, ...others]);
    await close();
  });

  it('are in a table that PostgreSQL does not empty after a crash', async () => {
    expect(
      await runSql(url, `select relpersistence from pg_class where oid = 'regulator_slot'::regclass`),
    ).toEqual([{ relpersistence: 'p' }]);
  });

  it('need few statements, and none per call', async () => {
    const { use, close } = crowd(1);
    const version = async () =>
      (await runSql<{ v: string }>(url, 'select xmin::text as v from regulator_slot where slot = 1'))[0]?.v;
    await use(0, async () => {});
    // Unless a lease was renewed at that moment.
    await eventually(async () => {
      const before = await version();
      for (let call = 0; call < 50; call += 1) await use(0, async () => {});
      return (await version()) === before;
    });
    await close();
  });
});

describe('rate limit', () => {
  beforeEach(() => runSql(url, 'update regulator_rate_limit set next_call_at = now(), closed_until = now()'));

  it('serves all processes in turn, at the configured rate', async () => {
    const RATE = 40;
    const rateLimits = processes.map((database) => database.regulatorRateLimit(RATE));
    const since = performance.now();
    const permits = Array.from({ length: 20 }, async (_, index) => {
      await rateLimits[index % 2]?.acquire();
      return performance.now() - since;
    });
    const at = (await Promise.all(permits)).toSorted((a, b) => a - b);
    // A timer may fire a millisecond early.
    const tooSoon = at.filter((ms, index) => ms < (index * 1000) / RATE - 2);
    expect(tooSoon).toEqual([]);
  });

  it('does not accumulate unused permits', async () => {
    const rateLimit = processes[0]?.regulatorRateLimit(20);
    await rateLimit?.acquire();
    await sleep(300);
    const since = performance.now();
    for (let call = 0; call < 4; call += 1) await rateLimit?.acquire();
    expect(performance.now() - since).toBeGreaterThan(3 * 50 - 2);
  });

  it('continues after the clock of the database, or the rate, was wrong', async () => {
    await runSql(url, "update regulator_rate_limit set next_call_at = now() + interval '1 day'");
    const rateLimit = processes[0]?.regulatorRateLimit(20);
    const since = performance.now();
    await Promise.all(Array.from({ length: 4 }, () => rateLimit?.acquire()));
    expect(performance.now() - since).toBeGreaterThan(3 * 50 - 2);
  });

  it('without a rate has no limit', async () => {
    const rateLimit = processes[0]?.regulatorRateLimit(null);
    await Promise.all(Array.from({ length: 50 }, () => rateLimit?.acquire()));
  });

  it.each([null, 1000])(
    'refuses every process during a pause, and continues after it (rate %s)',
    async (rate) => {
      const [mine, other] = processes.map((database) => database.regulatorRateLimit(rate));
      const since = performance.now();
      await mine?.pause(2);
      await mine?.pause(1); // A shorter pause changes nothing.
      const error = await other?.acquire().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RegulatorRateLimited);
      expect((error as RegulatorRateLimited).retryAfterSeconds).toBe(2);
      await eventually(() => succeeds(other?.acquire() ?? Promise.reject()));
      expect(performance.now() - since).toBeGreaterThan(1_990);
    },
  );

  it.each([null, 1000])('refuses its own process at once (rate %s)', async (rate) => {
    const rateLimit = processes[0]?.regulatorRateLimit(rate);
    await rateLimit?.acquire();
    await rateLimit?.pause(2);
    await expect(rateLimit?.acquire()).rejects.toBeInstanceOf(RegulatorRateLimited);
  });

  it('refuses with two statements during the pause of another process, however recent the last permit', async () => {
    const orm = await openOrm(url);
    const em = orm.em.fork();
    vi.spyOn(orm.em, 'fork').mockReturnValue(em);
    const statement = vi.spyOn(em, 'getKysely');
    const other = createRegulatorRateLimit(orm, 50);
    await other.acquire();
    // The second call waits, and then asks for a pause.
    await other.acquire();
    await processes[0]?.regulatorRateLimit(50).pause(5);
    statement.mockClear();
    await expect(other.acquire()).rejects.toBeInstanceOf(RegulatorRateLimited);
    expect(statement).toHaveBeenCalledTimes(2);
  });

  it('refuses a call that got its permit before the pause', async () => {
    const [mine, other] = processes.map((database) => database.regulatorRateLimit(2));
    await mine?.acquire();
    const waiting = other?.acquire().catch((thrown: unknown) => thrown);
    await eventually(async () => {
      const [row] = await runSql<{ taken: boolean }>(
        url,
        `select next_call_at > clock_timestamp() + interval '500 milliseconds' as taken from regulator_rate_limit`,
      );
      return row?.taken;
    });
    await mine?.pause(5);
    expect(await waiting).toBeInstanceOf(RegulatorRateLimited);
  });

  it('does not keep a permit that comes too late', async () => {
    const TURN_MS = 10_000;
    const rateLimit = processes[0]?.regulatorRateLimit(1000 / TURN_MS);
    const nextTurn = () => runSql(url, 'select next_call_at from regulator_rate_limit');
    await rateLimit?.acquire();
    const before = await nextTurn();
    const since = performance.now();
    const refusal = await rateLimit?.acquire({ maxWaitMs: 50 }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RegulatorRateLimited);
    // The regulator has asked for nothing.
    expect((refusal as Error).message).toMatch(/^REGULATOR_RATE_PER_SECOND allows no call/);
    // It did not wait for its permit.
    expect(performance.now() - since).toBeLessThan(TURN_MS / 2);
    expect(await nextTurn()).toEqual(before);
  });

  it('ends its wait with the signal', async () => {
    const rateLimit = processes[0]?.regulatorRateLimit(0.01);
    await rateLimit?.acquire();
    const impatient = new AbortController();
    const waiting = rateLimit?.acquire({ signal: impatient.signal }).catch((thrown: unknown) => thrown);
    impatient.abort();
    expect(await waiting).toMatchObject({ name: 'AbortError' });
  });

  it('ends its wait for a silent database with the signal', async () => {
    const proxy = await startTcpProxy([Number(new URL(url).port)]);
    // The end of the test waits for the statements that have no answer.
    const database = await openAgain(urlThrough(proxy, url), { queryMs: 2_000, connectMs: 2_000 });
    proxy.silence();
    const reason = new Error('the slot is lost');
    const signal = AbortSignal.timeout(500);
    const permits = [null, 20].map((rate) => {
      const lost = new AbortController();
      signal.addEventListener('abort', () => lost.abort(reason));
      return database
        .regulatorRateLimit(rate)
        .acquire({ signal: lost.signal })
        .catch((thrown: unknown) => thrown);
    });
    const since = performance.now();
    const ended = await Promise.all(permits);
    proxy.restore();
    expect(ended).toEqual([reason, reason]);
    expect(performance.now() - since).toBeLessThan(10_000);
  });
});
