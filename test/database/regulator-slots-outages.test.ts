/**
 * Slots for calls to the regulator when the connection to PostgreSQL is cut or falls silent. Two databases
 * stand for two processes; each has a TCP proxy of its own. Both always have more calls than there are slots.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/index.ts';
import { openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { runSql } from '../support/services/servers.ts';
import { type SilentLine, startSilentLine } from '../support/silent-line.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const LIMIT = 12;
/** Lifetime of a row in the database without renewal. */
const LEASE_MS = 6_000;
/** Allowance for slow statements on a busy machine. */
const SLACK_MS = 2_000;
const OUTAGE_MS = 9_000;

interface Process {
  database: Database;
  proxy: TcpProxy;
  line: SilentLine;
  stop(): Promise<void>;
  /** Running calls with a lease that the process takes for valid. */
  valid: number;
}

let url: string;
const processes: Process[] = [];
let most: number;
let busy: boolean;

beforeEach(async () => {
  const opened = await openTestDatabase();
  await opened.database.close();
  url = opened.url;
  most = 0;
  busy = true;
  for (const _ of [1, 2]) await startProcess();
  await eventually(async () => sum() === LIMIT);
});
afterEach(async () => {
  busy = false;
  await Promise.all(processes.splice(0).map(({ stop }) => stop()));
});

const sum = () => processes.reduce((all, { valid }) => all + valid, 0);

async function startProcess(): Promise<void> {
  const proxy = await startTcpProxy([Number(new URL(url).port)]);
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  const line = await startSilentLine(proxied.href);
  const database = await openDatabase({ url: line.url, encryptionSecret: 'a secret of the tests only' });
  const slots = database.regulatorSlots(LIMIT);
  const ending = new AbortController();
  const one: Process = {
    database,
    proxy,
    line,
    valid: 0,
    async stop() {
      proxy.restore();
      ending.abort();
      await Promise.all(callers);
      await slots.close();
      await database.close();
      line.close();
      await proxy.stop();
    },
  };
  processes.push(one);
  const callers = Array.from({ length: LIMIT }, async (_, index) => {
    while (busy) {
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
}

/** Asserts that all slots are in use at some moment in the next `ms`. */
const expectAllUsedWithin = (ms: number) => eventually(async () => sum() === LIMIT, ms);

/** Asserts that no slot is leaked: a process renews only the slots that it counts. */
async function expectNoneLeaked(): Promise<void> {
  for (let second = 0; second < 5; second += 1) {
    await expectAllUsedWithin(SLACK_MS);
    await sleep(1_000);
  }
}

const validRows = async () =>
  (
    await runSql<{ n: number }>(
      url,
      'select count(*)::int as n from regulator_slot where slot > 0 and expires_at > clock_timestamp()',
    )
  )[0]?.n;

describe('an outage of the database', () => {
  it('of which everybody is told costs no slot, and no more calls than allowed are under way', async () => {
    for (const { proxy } of processes) proxy.refuse();
    await sleep(OUTAGE_MS);
    expect(sum()).toBe(0);
    for (const { proxy } of processes) proxy.restore();
    await expectAllUsedWithin(LEASE_MS + SLACK_MS);
    await expectNoneLeaked();
    expect(most).toBe(LIMIT);
  });

  it('that takes the answers of single statements costs no slot', async () => {
    for (let cut = 0; cut < 60; cut += 1) {
      processes[cut % 2]?.proxy.cut();
      await sleep(100);
    }
    await expectAllUsedWithin(LEASE_MS + SLACK_MS);
    await expectNoneLeaked();
    expect(most).toBe(LIMIT);
  });
});

describe('silence of the database', () => {
  it('for all ends all calls before their leases, and costs no slot', async () => {
    for (const { proxy } of processes) proxy.silence();
    await sleep(LEASE_MS);
    expect(sum()).toBe(0);
    await sleep(OUTAGE_MS);
    expect(sum()).toBe(0);
    for (const { proxy } of processes) proxy.restore();
    await expectAllUsedWithin(LEASE_MS + SLACK_MS);
    await expectNoneLeaked();
    expect(most).toBe(LIMIT);
  });

  it('for one process ends its calls before another has its slots', async () => {
    const [silent, other] = processes;
    silent?.proxy.silence();
    await eventually(async () => other?.valid === LIMIT, LEASE_MS + SLACK_MS);
    await sleep(OUTAGE_MS);
    expect(silent?.valid).toBe(0);
    silent?.proxy.restore();
    await eventually(async () => (silent?.valid ?? 0) > 0, LEASE_MS + SLACK_MS);
    await expectNoneLeaked();
    expect(most).toBe(LIMIT);
  });

  it('of connections that never come back costs no more than a lease', async () => {
    for (const { line } of processes) line.fallSilent();
    await sleep(LEASE_MS);
    await eventually(async () => (await validRows()) === LIMIT, SLACK_MS);
    await expectAllUsedWithin(SLACK_MS);
    await expectNoneLeaked();
    expect(most).toBe(LIMIT);
  });
});
