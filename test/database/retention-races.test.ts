import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createCountDays } from '../../activities/count-days.ts';
import { createApplyRetention } from '../../activities/retention.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { createdFile, newImport, openAgain, openTestDatabase } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const { database, url } = await openTestDatabase();
const storage = createLocalStorage(await temporaryDirectory());

/** An old package that could not be read, with the records of an earlier release. */
async function failedLongAgo(): Promise<{ importId: number; storageKey: string }> {
  const importId = await newImport(database);
  const { storageKey = '' } = (await database.imports.find(importId)) ?? {};
  await storage.put(storageKey, Readable.from([Buffer.from('zip')]));
  await database.reading.record(importId, null, [createdFile(newProductId())]);
  await runSql(
    url,
    `update zip_import set status = 'failed', completed_at = now(), uploaded_at = now() - interval '400 days' where id = ${importId}`,
  );
  return { importId, storageKey };
}

/** Runs retention. @param meanwhile runs after the query for expired imports and before any removal */
function applyRetention(meanwhile: () => Promise<void>, through = database) {
  const retention = {
    ...through.retention,
    async expiredImports(...args: Parameters<typeof database.retention.expiredImports>) {
      const expired = await through.retention.expiredImports(...args);
      await meanwhile();
      return expired;
    },
  };
  const apply = createApplyRetention({
    database: { ...through, retention },
    storage,
    retentionDays: 90,
    failedRetentionDays: 7,
    auditRetentionDays: null,
  });
  return new MockActivityEnvironment().run(apply);
}

const rawXmls = async (importId: number) => {
  const [row] = await runSql<{ n: number }>(
    url,
    `select count(raw_xml)::int as n from submission where zip_import_id = ${importId}`,
  );
  return row?.n;
};

it('a statement of any part may take longer than a client would wait', async () => {
  const tables = ['webhook_delivery', 'idempotency_key'];
  const trigger = (table: string) =>
    `create trigger slow before delete on ${table} for each statement execute function slow();`;
  await runSql(
    url,
    `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return null; end $$;
     ${tables.map(trigger).join('')}`,
  );
  const impatient = await openAgain(url, { queryMs: 500 });
  await expect(applyRetention(async () => {}, impatient)).resolves.toBeDefined();
  await runSql(url, 'drop function slow cascade');
});

it('a count of a day may take longer than a client would wait', async () => {
  await failedLongAgo();
  await runSql(
    url,
    `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return null; end $$;
     create trigger slow after insert on statistics_day for each statement execute function slow();
     insert into statistics_day (day, counted_at)
     select day, now() from generate_series(now()::date - 399, now()::date, interval '1 day') day`,
  );
  const impatient = await openAgain(url, { queryMs: 500 });
  const counted = new MockActivityEnvironment().run(createCountDays({ database: impatient }));
  expect(await counted).toBe(1);
  await runSql(url, 'drop function slow cascade');
});

describe('a message about an event that lasts', () => {
  const payload = {
    type: 'regulator_session.ended',
    timestamp: 'then',
    data: { expires_at: 'then' },
  } as const;
  const { webhookDeliveries } = database;
  const messages = async () => (await webhookDeliveries.list({}, { limit: 99 })).deliveries.length;
  const later = async () => {
    await runSql(url, `update webhook_delivery set created_at = created_at - interval '100 days'`);
    await applyRetention(async () => {});
  };

  it('stays, so that no second one follows, and is removed after its end', async () => {
    await database.webhooks.register('client', 'https://hooks.example/', 'test');
    const importId = await newImport(database, { webhookUrl: 'https://import.example/' });
    await webhookDeliveries.planForAll(payload, 'the session');
    await webhookDeliveries.plan(importId, { ...payload, type: 'inserting.paused', data: {} });
    await runSql(
      url,
      `insert into inserting_pause (id, reason, actor, since) values (1, '', '', now() - interval '101 days')`,
    );
    await later();
    expect(await messages()).toBe(3);
    await runSql(
      url,
      `delete from inserting_pause;
       insert into regulator_session (id, encrypted_token, expires_at, code_attempts, updated_at)
       values (1, 'x', now() - interval '201 days', 0, now())`,
    );
    await later();
    expect(await messages()).toBe(3);
    await runSql(url, `update regulator_session set expires_at = now() + interval '1 hour'`);
    await later();
    expect(await messages()).toBe(2);
    await runSql(
      url,
      `update zip_import set status = 'completed', completed_at = now() where id = ${importId}`,
    );
    await later();
    expect(await messages()).toBe(0);
  });
});

it('a summary whose attempts are over without a record is an error, and no other is changed', async () => {
  const statuses = ['pending', 'sending', 'sent', 'error'] as const;
  const after = async (days: number) => {
    const ids: number[] = [];
    for (const status of statuses) {
      const id = await newImport(database, { notificationEmail: 'a@company.example' });
      await runSql(
        url,
        `update zip_import set status = 'completed', completed_at = now() - interval '${days} days' where id = ${id};
         update notification set status = '${status}' where zip_import_id = ${id}`,
      );
      ids.push(id);
    }
    return ids;
  };
  const [old, recent] = [await after(3.1), await after(1.9)];
  await applyRetention(async () => {});
  const shown = (ids: number[]) =>
    runSql<{ status: string; why: boolean }>(
      url,
      `select status, last_error is not null as why from notification
        where zip_import_id in (${ids}) order by zip_import_id`,
    );
  const unchanged = statuses.map((status) => ({ status, why: false }));
  expect(await shown(recent)).toEqual(unchanged);
  const ended = { status: 'error', why: true };
  expect(await shown(old)).toEqual([ended, ended, ...unchanged.slice(2)]);
});

describe('an import that has expired', () => {
  it('loses its package and its raw XML', async () => {
    const { importId, storageKey } = await failedLongAgo();
    expect(await applyRetention(async () => {})).toMatchObject({ packages: 1 });
    expect(await storage.has(storageKey)).toBe(false);
    expect(await rawXmls(importId)).toBe(0);
    expect((await database.imports.find(importId))?.archiveRemovedAt).not.toBeNull();
  });

  it('keeps both when it is read again meanwhile', async () => {
    const { importId, storageKey } = await failedLongAgo();
    expect(await applyRetention(() => database.imports.reopen(importId))).toMatchObject({ packages: 0 });
    expect(await storage.has(storageKey)).toBe(true);
    expect(await rawXmls(importId)).toBe(1);
    expect(await database.imports.find(importId)).toMatchObject({
      status: 'extracting',
      archiveRemovedAt: null,
    });
  });

  it('keeps both when one of its products is retried meanwhile', async () => {
    const { importId, storageKey } = await failedLongAgo();
    const again = async () => {
      await runSql(
        url,
        `update submission set status = 'regulator_inserting' where zip_import_id = ${importId}`,
      );
    };
    expect(await applyRetention(again)).toMatchObject({ packages: 0 });
    expect(await storage.has(storageKey)).toBe(true);
    expect(await rawXmls(importId)).toBe(1);
  });

  it('is not reopened after its package is removed', async () => {
    const { importId } = await failedLongAgo();
    await applyRetention(async () => {});
    await database.imports.reopen(importId);
    expect((await database.imports.find(importId))?.status).toBe('failed');
  });
});
