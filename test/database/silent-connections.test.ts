/** A connection to PostgreSQL falls silent, without a reset. The caller waits no longer than configured. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withLongStatements } from '../../src/database/connections.ts';
import { migrate } from '../../src/database/migrations.ts';
import { connect } from '../../src/database/orm.ts';
import { openOrm } from '../support/database.ts';
import { createTestDatabase } from '../support/servers.ts';
import { startTcpProxy, urlThrough } from '../support/tcp-proxy.ts';

const QUERY_MS = 500;
const CONNECT_MS = 1_000;
/** Generous: other processes use the machine as well. */
const SOON_MS = 10_000;

const { url } = await createTestDatabase();
const line = await startTcpProxy([Number(new URL(url).port)]);
const orm = await openOrm(urlThrough(line, url), { poolSize: 2, queryMs: QUERY_MS, connectMs: CONNECT_MS });

const ask = () => orm.em.fork().execute<{ one: number }[]>('select 1 as one');
const soon = async <T>(work: Promise<T>) => {
  const begun = performance.now();
  await work;
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
};

describe('a silent connection', () => {
  it('fails its statement with the reason, and the next statement gets another connection', async () => {
    await ask();
    line.forget();
    await soon(expect(ask()).rejects.toThrow(/has not answered for 0.5 s/));
    expect(await ask()).toEqual([{ one: 1 }]);
    expect(line.givenUp()).toBe(1);
  });

  it('in each transaction does not shrink the pool', async () => {
    const transaction = () =>
      orm.em.fork().transactional(async (em) => {
        await em.execute('select 1');
        line.forget();
        await em.execute('select 2');
      });
    for (let round = 0; round < 3; round += 1)
      await soon(Promise.all([0, 1].map(() => expect(transaction()).rejects.toThrow())));
    expect(await Promise.all([ask(), ask(), ask(), ask()])).toHaveLength(4);
  });

  it('fails a new connection in time, which works again after the silence', async () => {
    line.silence();
    await Promise.all([ask(), ask()].map((asked) => expect(asked).rejects.toThrow()));
    await soon(expect(ask()).rejects.toThrow(/timeout/i));
    line.restore();
    expect(await ask()).toEqual([{ one: 1 }]);
  });

  it('that opens while its pool closes does not keep the pool open', async () => {
    const closing = await openOrm(urlThrough(line, url));
    line.silence();
    const asked = Promise.allSettled([0, 1].map(() => closing.em.fork().execute('select 1')));
    // Long enough for both statements to ask for a connection.
    await sleep(200);
    const closed = closing.close(true);
    line.restore();
    await soon(closed);
    await asked;
  });
});

describe('a long statement', () => {
  it('is awaited where the code allows it', async () => {
    const slow = () => orm.em.fork().execute('select pg_sleep(1)');
    await expect(slow()).rejects.toThrow(/has not answered/);
    expect(await withLongStatements(slow)).toHaveLength(1);
  });

  it('in a migration has no time limit', async () => {
    expect(await migrate(url)).toEqual([]);
    const unbound = await connect(url, { queryMs: null });
    expect(await unbound.em.fork().execute('select pg_sleep(1)')).toHaveLength(1);
    await unbound.close(true);
  });
});
