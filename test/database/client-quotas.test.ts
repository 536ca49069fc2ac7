/** Quota counters shared by several processes: here two connection pools on one database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/index.ts';
import { newImport, openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { runSql } from '../support/services/servers.ts';

let url: string;
let one: Database;
let other: Database;
beforeAll(async () => {
  ({ database: one, url } = await openTestDatabase());
  other = await openDatabase({ url, poolSize: 6, encryptionSecret: 'a secret of the tests only' });
});
afterAll(async () => {
  await one.close();
  await other.close();
});

describe('rates', () => {
  it('are one count over all processes, and exact when many take at once', async () => {
    const limit = { points: 100, windowSeconds: 60 };
    const rates = [one.clientRate('requests', limit), other.clientRate('requests', limit)];
    const taken = await Promise.all(
      Array.from({ length: 40 }, (_, index) => rates[index % 2]?.take('client', 7) ?? null),
    );
    expect(taken.reduce((sum, one) => sum + (one?.granted ?? 0), 0)).toBe(100);
    const refused = await rates[0]?.take('client', 7);
    expect(refused).toMatchObject({ granted: 0, remaining: 0 });
    expect(refused?.resetMs).toBeGreaterThan(40_000);
    expect(refused?.resetMs).toBeLessThanOrEqual(60_000);
    expect(await rates[0]?.take('another', 7)).toMatchObject({ granted: 7, remaining: 93 });
    expect(await one.clientRate('mails', limit).take('client', 7)).toMatchObject({ granted: 7 });
  });

  it('come back whole when the window is over', async () => {
    const rate = one.clientRate('short', { points: 2, windowSeconds: 1 });
    expect(await rate.take('client', 2)).toMatchObject({ granted: 2, remaining: 0 });
    expect((await rate.take('client', 1)).granted).toBe(0);
    await sleep(1_100);
    expect((await rate.take('client', 1)).granted).toBe(1);
  });

  it('of a client with a long name are counted, and a statement goes unnamed', async () => {
    const rate = one.clientRate('requests', { points: 5, windowSeconds: 60 });
    expect((await rate.take('x'.repeat(2_000), 1)).granted).toBe(1);
    const prepared = await runSql<{ name: string }>(url, 'select name from pg_prepared_statements');
    expect(prepared).toEqual([]);
  });

  it('refuse nobody while they cannot be counted together: each process counts alone', async () => {
    const rate = one.clientRate('requests', { points: 3, windowSeconds: 60 });
    await runSql(url, 'alter table client_rate rename to client_rate_away');
    try {
      expect(await rate.take('in an outage', 2)).toMatchObject({ granted: 2, remaining: 1 });
      expect(await rate.take('in an outage', 2)).toMatchObject({ granted: 1, remaining: 0 });
    } finally {
      await runSql(url, 'alter table client_rate_away rename to client_rate');
    }
  });
});

describe('slots', () => {
  it('are as many as the limit says, however many ask at once in two processes', async () => {
    const slots = [one.clientSlots('upload', 8), other.clientSlots('upload', 8)];
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, index) => slots[index % 2]?.take('client') ?? null),
    );
    const given = taken.flatMap((giveBack) => giveBack ?? []);
    expect(given).toHaveLength(8);
    expect(await slots[1]?.take('another')).not.toBeNull();
    await given[0]?.();
    await given[0]?.();
    expect(await slots[0]?.take('client')).not.toBeNull();
    expect(await slots[1]?.take('client')).toBeNull();
  });

  it('stay taken while their process lives', async () => {
    const slots = one.clientSlots('webhook', 1, { leaseMs: 600 });
    const giveBack = await slots.take('client');
    await sleep(1_500);
    expect(await other.clientSlots('webhook', 1).take('client')).toBeNull();
    await giveBack?.();
    expect(await other.clientSlots('webhook', 1).take('client')).not.toBeNull();
  });

  it('are free again when their process has died and their lease is over', async () => {
    await runSql(
      url,
      `insert into client_slot (kind, client_id, slot, token, expires_at)
       values ('upload', 'of a dead gateway', 1, gen_random_uuid(), now() + interval '2 seconds')`,
    );
    const slots = one.clientSlots('upload', 1);
    expect(await slots.take('of a dead gateway')).toBeNull();
    await eventually(async () => slots.take('of a dead gateway'));
  });
});

describe('what is stored', () => {
  it('is the packages and the attachments that they were first to bring, until they are removed', async () => {
    const clientId = 'keeper';
    const first = await newImport(one, { clientId });
    const second = await newImport(one, { clientId });
    await runSql(url, 'update zip_import set size_bytes = 100');
    const attachment = (entryPath: string) => ({
      clientId,
      attachmentId: '238d0f2d-5dd0-4f07-838e-24680cb37d51',
      entryPath,
      fileName: 'a.pdf',
      contentType: 'application/pdf',
      confidential: true,
      sizeBytes: 5_000_000_000,
      sha256: 'a'.repeat(64),
      storageKey: 'attachments/aa/a',
    });
    await one.referredFiles.recordAttachment(first, attachment('a'), async () => true);
    await one.referredFiles.recordAttachment(second, attachment('b'), async () => false);
    expect(await other.workFigures.stored()).toEqual({ bytes: 5_000_000_200 });
    await runSql(url, `update zip_import set completed_at = now() where id = ${first}`);
    await one.retention.markRemoved(first, 'service:retention');
    expect(await other.workFigures.stored()).toEqual({ bytes: 100 });
  });
});
