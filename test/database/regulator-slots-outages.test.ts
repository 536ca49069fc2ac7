/**
 * Slots for calls to the regulator when the connection to PostgreSQL is cut or falls silent. Two databases stand for two
 * processes; each has a TCP proxy of its own. Both always have more calls than there are slots. The tests mostly wait, so
 * they run at the same time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../support/cleanup.ts';
import { openAgain } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, runSql } from '../support/servers.ts';
import { startTcpProxy, urlThrough } from '../support/tcp-proxy.ts';

const LIMIT = 12;
/** Lifetime of a row in the database without renewal. */
const LEASE_MS = 6_000;
/** Allowance for slow statements on a busy machine. */
const SLACK_MS = 4_000;
const OUTAGE_MS = 9_000;

/** Two processes with calls all the time; both use all slots when this resolves. */
async function startCrowd() {
  const { url } = await createTestDatabase();
  let most = 0;
  const sum = () => processes.reduce((all, { valid }) => all + valid, 0);
  const processes: Awaited<ReturnType<typeof startProcess>>[] = [];

  async function startProcess() {
    const proxy = await startTcpProxy([Number(new URL(url).port)]);
    const slots = (await openAgain(urlThrough(proxy, url))).regulatorSlots(LIMIT);
    const ending = new AbortController();
    /** `valid`: running calls with a lease that the process takes for valid. */
    const one = { proxy, valid: 0 };
    const callers = Array.from({ length: LIMIT }, async (_, index) => {
      while (!ending.signal.aborted) {
        const call = async (signal: AbortSignal) => {
          one.valid += 1;
          most = Math.max(most, sum());
          try {
            // Some calls are short, so that slots are released and taken all the time; others outlive a lease.
            await sleep(index % 3 === 0 ? 20_000 : 50 * (1 + index), undefined, { signal });
          } finally {
            one.valid -= 1;
          }
        };
        await slots.use(ending.signal, call).catch(() => {});
        await sleep(20 * index);
      }
    });
    atEnd(async () => {
      proxy.restore();
      ending.abort();
      await Promise.all(callers);
      await slots.close();
    });
    return one;
  }

  for (const _ of [1, 2]) processes.push(await startProcess());
  /** Asserts that all slots are in use at some moment in the next `ms`. */
  const expectAllUsedWithin = (ms: number) => eventually(async () => sum() === LIMIT, ms);
  await expectAllUsedWithin(60_000);
  return {
    processes,
    sum,
    expectAllUsedWithin,
    async validRows() {
      const [row] = await runSql<{ n: number }>(
        url,
        'select count(*) as n from regulator_slot where slot > 0 and expires_at > clock_timestamp()',
      );
      return row?.n;
    },
    /**
     * Asserts that no slot is leaked, as a process renews only the slots that it counts, and that none was given twice.
     */
    async expectSound() {
      for (let second = 0; second < 5; second += 1) {
        await expectAllUsedWithin(SLACK_MS);
        await sleep(1_000);
      }
      expect(most).toBe(LIMIT);
    },
  };
}

describe.concurrent('an outage of the database', () => {
  it('with errors loses no slot, and never exceeds the number of calls', async () => {
    const { processes, sum, expectAllUsedWithin, expectSound } = await startCrowd();
    for (const { proxy } of processes) proxy.refuse();
    await sleep(OUTAGE_MS);
    expect(sum()).toBe(0);
    for (const { proxy } of processes) proxy.restore();
    await expectAllUsedWithin(LEASE_MS + SLACK_MS);
    await expectSound();
  });

  it('that loses the answers of single statements loses no slot', async () => {
    const { processes, expectAllUsedWithin, expectSound } = await startCrowd();
    for (let cut = 0; cut < 60; cut += 1) {
      processes[cut % 2]?.proxy.cut();
      await sleep(100);
    }
    await expectAllUsedWithin(LEASE_MS + SLACK_MS);
    await expectSound();
  });
});

describe.concurrent('silence of the database', () => {
  it('for all processes ends all calls before their leases, and loses no slot', async () => {
    const { processes, sum, expectAllUsedWithin, expectSound } = await startCrowd();
    for (const { proxy } of processes) proxy.silence();
    await sleep(LEASE_MS);
    expect(sum()).toBe(0);
    await sleep(OUTAGE_MS);
    expect(sum()).toBe(0);
    for (const { proxy } of processes) proxy.restore();
    await expectAllUsedWithin(LEASE_MS + SLACK_MS);
    await expectSound();
  });

  it('for one process ends its calls before another process gets its slots', async () => {
    const { processes, expectSound } = await startCrowd();
    const [silent, other] = processes;
    silent?.proxy.silence();
    await eventually(async () => other?.valid === LIMIT, LEASE_MS + SLACK_MS);
    await sleep(OUTAGE_MS);
    expect(silent?.valid).toBe(0);
    silent?.proxy.restore();
    await eventually(async () => (silent?.valid ?? 0) > 0, LEASE_MS + SLACK_MS);
    await expectSound();
  });

  it('on connections that never return costs at most one lease', async () => {
    const { processes, validRows, expectAllUsedWithin, expectSound } = await startCrowd();
    for (const { proxy } of processes) proxy.forget();
    await sleep(LEASE_MS);
    await eventually(async () => (await validRows()) === LIMIT, SLACK_MS);
    await expectAllUsedWithin(SLACK_MS);
    await expectSound();
  });
});
