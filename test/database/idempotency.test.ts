/** An idempotency key stands for one request of one client, for a day. */
import { expect, it } from 'vitest';
import { importValues, openTestDatabase } from '../support/database.ts';
import { runSql } from '../support/servers.ts';

const { database, url } = await openTestDatabase();

function create(key: string, fingerprint: string, clientId = 'client') {
  return database.idempotency.create(importValues({ clientId }), { tenant: clientId, key }, fingerprint);
}

it('is stored once, however often and at once the request is sent', async () => {
  const sent = await Promise.all(Array.from({ length: 5 }, () => create('once', 'a')));
  expect(sent.map(({ kind }) => kind).sort()).toEqual(['created', ...Array(4).fill('repeated')]);
});

it('is refused for another request, and names the import of the first', async () => {
  const first = await create('other request', 'a');
  expect(first).toMatchObject({ kind: 'created' });
  expect(await create('other request', 'b')).toEqual({
    kind: 'conflict',
    importId: first.kind === 'created' && first.record.id,
  });
});

it('is another key for another client', async () => {
  await create('of two clients', 'a');
  expect(await database.idempotency.knows('other', 'of two clients')).toBe(false);
  expect(await create('of two clients', 'b', 'other')).toMatchObject({ kind: 'created' });
});

it('is forgotten after a day', async () => {
  await create('old', 'a');
  const age = (hours: number) =>
    runSql(
      url,
      `update idempotency_key set created_at = now() - interval '${hours} hours' where key = 'old'`,
    );
  await age(23);
  expect(await database.idempotency.knows('client', 'old')).toBe(true);
  await age(25);
  expect(await database.idempotency.knows('client', 'old')).toBe(false);
  expect(await database.idempotency.removeExpired()).toBe(1);
  expect(await create('old', 'b')).toMatchObject({ kind: 'created' });
  expect(await create('old', 'b')).toMatchObject({ kind: 'repeated' });
});
