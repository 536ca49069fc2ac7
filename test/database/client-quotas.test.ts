/** Quota counters shared by several processes: here two connection pools on one database. */
import { describe, expect, it } from 'vitest';
import {
  invalidPackage,
  newAttachment,
  newImport,
  openAgain,
  openTestDatabase,
} from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { runSql } from '../support/servers.ts';

const { database: one, url } = await openTestDatabase();
const other = await openAgain(url);

describe('rates', () => {
  it('are counted together over all processes, exactly', async () => {
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

  it('are complete again after the window', async () => {
    const rate = one.clientRate('short', { points: 2, windowSeconds: 3 });
    expect(await rate.take('client', 2)).toMatchObject({ granted: 2, remaining: 0 });
    expect((await rate.take('client', 1)).granted).toBe(0);
    await eventually(async () => (await rate.take('client', 1)).granted === 1);
    expect((await rate.take('client', 2)).granted).toBe(1);
  });

  it('have the points again that were refunded', async () => {
    const rate = one.clientRate('requests', { points: 2, windowSeconds: 60 });
    expect(await rate.take('returning', 2)).toMatchObject({ granted: 2, remaining: 0 });
    await rate.refund('returning', 1);
    expect(await rate.take('returning', 1)).toMatchObject({ granted: 1, remaining: 0 });
    expect(await rate.take('returning', 1)).toMatchObject({ granted: 0 });
  });

  it('of a client with a long name are counted', async () => {
    const rate = one.clientRate('requests', { points: 5, windowSeconds: 60 });
    expect((await rate.take('x'.repeat(2_000), 1)).granted).toBe(1);
    const prepared = await runSql<{ name: string }>(url, 'select name from pg_prepared_statements');
    expect(prepared).toEqual([]);
  });

  it('are counted by each process alone while the database is away', async () => {
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
  it('never exceed the limit over two processes', async () => {
    const slots = [one.clientSlots('upload', 8), other.clientSlots('upload', 8)];
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, index) => slots[index % 2]?.take('client') ?? null),
    );
    const given = taken.flatMap((release) => release ?? []);
    expect(given).toHaveLength(8);
    expect(await slots[1]?.take('another')).not.toBeNull();
    await given[0]?.();
    await given[0]?.();
    expect(await slots[0]?.take('client')).not.toBeNull();
    expect(await slots[1]?.take('client')).toBeNull();
  });

  it('stay taken while their process lives', async () => {
    const slots = one.clientSlots('webhook', 1, { leaseMs: 2_000 });
    const release = await slots.take('client');
    // Beyond the first end of its lease.
    const [first] = await runSql<{ ends: string }>(
      url,
      `select expires_at::text as ends from client_slot where kind = 'webhook' and client_id = 'client'`,
    );
    await eventually(async () => {
      const [row] = await runSql<{ over: boolean }>(
        url,
        `select clock_timestamp() > '${first?.ends}'::timestamptz as over`,
      );
      return row?.over;
    });
    expect(await other.clientSlots('webhook', 1).take('client')).toBeNull();
    await release?.();
    expect(await other.clientSlots('webhook', 1).take('client')).not.toBeNull();
  });

  it('without a limit are always free', async () => {
    const slots = [one.clientSlots('upload', null), other.clientSlots('upload', null)];
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) => slots[index % 2]?.take('unlimited') ?? null),
    );
    expect(taken).not.toContain(null);
  });

  it('reserve bytes together, until they are released or their lease ends', async () => {
    const slots = [one.clientSlots('reserving', 3), other.clientSlots('reserving', 3)] as const;
    const reserved = () => Promise.all(slots.map((each) => each.reserved('another')));
    await slots[0].take('a client', 5_000_000_000);
    const release = await slots[1].take('another', 7);
    expect(await reserved()).toEqual(Array(2).fill({ all: 5_000_000_007, own: 7 }));
    await release?.();
    expect(await reserved()).toEqual(Array(2).fill({ all: 5_000_000_000, own: 0 }));
    await runSql(
      url,
      `update client_slot set expires_at = now() - interval '1 second' where kind = 'reserving'`,
    );
    expect(await reserved()).toEqual(Array(2).fill({ all: 0, own: 0 }));
  });

  it('are free when the lease of a dead process ends', async () => {
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

describe('stored bytes', () => {
  const attachment = (tenant: string, entryPath: string) =>
    newAttachment({ tenant, entryPath, sizeBytes: 5_000_000_000 });
  const stored = async () => {};

  it('are the packages and the attachments that they brought first, until removal', async () => {
    const clientId = 'keeper';
    const first = await newImport(one, { clientId });
    const second = await newImport(one, { clientId });
    await runSql(url, 'update zip_import set size_bytes = 100');
    await one.referredFiles.recordAttachment(first, attachment(clientId, 'a'), stored);
    await one.referredFiles.recordAttachment(second, attachment(clientId, 'b'), stored);
    expect(await other.workFigures.stored()).toEqual({ bytes: 5_000_000_200 });
    for (const [id, bytes] of [
      [first, 100],
      [second, 0],
    ] as const) {
      await runSql(url, `update zip_import set completed_at = now() where id = ${id}`);
      await one.retention.markRemoved(id, 'service:retention');
      expect(await other.workFigures.stored()).toEqual({ bytes });
    }
    const third = await newImport(one, { clientId });
    await runSql(url, 'update zip_import set size_bytes = 100');
    await one.referredFiles.recordAttachment(third, attachment(clientId, 'c'), stored);
    expect(await other.workFigures.stored()).toEqual({ bytes: 5_000_000_100 });
  });

  it('have the attachment of the next package that brings it if the first one fails', async () => {
    const clientId = 'fails first';
    const [first, second] = [await newImport(one, { clientId }), await newImport(one, { clientId })];
    await one.referredFiles.recordAttachment(first, attachment(clientId, 'a'), stored);
    await one.imports.fail(first, invalidPackage('entry is damaged'), 'test');
    await one.referredFiles.recordAttachment(second, attachment(clientId, 'b'), stored);
    expect(await one.statistics.stored({ tenant: clientId }, 1)).toMatchObject([
      { attachmentBytes: 5_000_000_000 },
    ]);
  });

  it('of a tenant do not tell whether another tenant has the same file', async () => {
    for (const clientId of ['has it', 'has it, too']) {
      const id = await newImport(one, { clientId });
      await one.referredFiles.recordAttachment(id, attachment(clientId, 'a'), stored);
      await one.referredFiles.recordAttachment(id, attachment(clientId, 'copy'), stored);
      expect(await one.statistics.stored({ tenant: clientId }, 1)).toMatchObject([
        { attachmentBytes: 5_000_000_000 },
      ]);
    }
  });
});
