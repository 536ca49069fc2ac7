/**
 * The webhook of a tenant in the database. Its secrets: `encryption.test.ts`. Its messages:
 * `test/end-to-end/webhooks.test.ts`.
 */
import { expect, it } from 'vitest';
import type { WebhookPayload } from '../../src/contract/types.ts';
import { createdFile, newImport, openTestDatabase } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';

it('a webhook that is registered with the URL that it has changes nothing, and records nothing', async () => {
  const { database } = await openTestDatabase();
  const { webhooks, auditTrail } = database;
  const register = (url: string | null) => webhooks.register('client', url, 'client:client');
  const recorded = async () => {
    const { events } = await auditTrail.list({ actions: ['webhook.registered'] }, { limit: 10 });
    return events.map(({ detail }) => detail);
  };
  expect(await register('https://hooks.example/')).toMatch(/^whsec_/);
  const first = await webhooks.find('client');
  expect(await register('https://hooks.example/')).toBeNull();
  expect(await webhooks.find('client')).toEqual(first);
  expect(await recorded()).toEqual([{ url: 'https://hooks.example/' }]);
  expect(await register(null)).toBeNull();
  expect(await register(null)).toBeNull();
  expect(await recorded()).toEqual([{ url: null }, { url: 'https://hooks.example/' }]);
});

it('an import with failed products is found until each receiver has its message, and when their number has doubled', async () => {
  const { database, url } = await openTestDatabase();
  const { webhookDeliveries } = database;
  await newImport(database);
  const importId = await newImport(database, { webhookUrl: 'https://import.example/' });
  await database.reading.record(
    importId,
    null,
    Array.from({ length: 4 }, (_, n) => createdFile(newProductId(), n)),
  );
  const fail = (count: number) =>
    runSql(
      url,
      `update submission set status = 'regulator_insert_failed'
        where id in (select id from submission where zip_import_id = ${importId} order by id limit ${count})`,
    );
  const payload = { type: 'package_import.products_failed' } as WebhookPayload;
  const announced = async () => {
    const found = await webhookDeliveries.failingImports(10);
    for (const { importId, occasion } of found) await webhookDeliveries.plan(importId, payload, occasion);
    return found.map(({ failed }) => failed);
  };
  expect(await announced()).toEqual([]);
  await fail(1);
  expect(await webhookDeliveries.failingImports(0)).toEqual([]);
  expect(await announced()).toEqual([1]);
  expect(await announced()).toEqual([]);
  await database.webhooks.register('client', 'https://client.example/', 'test');
  expect(await announced()).toEqual([1]);
  await fail(3);
  expect(await announced()).toEqual([3]);
  await fail(4);
  expect(await announced()).toEqual([4]);
  expect(await announced()).toEqual([]);
});
