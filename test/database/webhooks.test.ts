/** The webhook of a tenant in the database. Its secrets: `encryption.test.ts`. Its messages: `test/end-to-end/webhooks.test.ts`. */
import { expect, it } from 'vitest';
import { openTestDatabase } from '../support/database.ts';

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
