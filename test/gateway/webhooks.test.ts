/**
 * Messages to webhooks: while Temporal is away, and of other clients. Their delivery:
 * `test/end-to-end/webhooks.test.ts`.
 */
import { expect, it } from 'vitest';
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { rateOf } from '../support/counted-quotas.ts';
import { startGateway } from '../support/starters/gateway.ts';

const row = {
  id: 1,
  uuid: 'a delivery',
  tenant: 'owner',
  clientId: 'owner',
  payload: '{}',
  createdAt: new Date(),
};

let status = 'pending';
const rate = rateOf(10, { kind: 'webhooks' });
const gateway = await startGateway({
  change: ({ database, quotas }) => ({
    quotas: { ...quotas, webhooks: rate },
    webhookRules: { hosts: ['127.0.0.1'], loopback: true },
    webhookWorkflows: { deliver: () => Promise.reject(new Error('no Temporal')) },
    database: {
      ...database,
      webhooks: { find: async () => ({ url: 'http://127.0.0.1/hook' }) },
      webhookDeliveries: {
        async planTest() {
          status = 'pending';
          return row;
        },
        findById: async () => row,
        async reopen() {
          const isClosed = status !== 'pending';
          status = 'pending';
          return isClosed;
        },
        async giveUp() {
          status = 'failed';
        },
      },
    } as unknown as GatewayDependencies['database'],
  }),
});

const TEST = '/regulator/webhook/actions/test';
const REDELIVERY = '/regulator/webhook/deliveries/1/actions/redeliver';

it.each([
  { what: 'a test', path: TEST, before: 'none', after: 'failed' },
  { what: 'a failed one that is sent again', path: REDELIVERY, before: 'failed', after: 'failed' },
  { what: 'one whose workflow may still be running', path: REDELIVERY, before: 'pending', after: 'pending' },
])('$what is $after after an answer that says to repeat the request', async ({ path, before, after }) => {
  status = before;
  const answer = await gateway.fetch(path, { method: 'POST' });
  expect(await answer.json()).toMatchObject({ data: { code: 'temporarily_unavailable' } });
  expect(status).toBe(after);
});

it('a message that an operator sends again takes none of the rate of its client, whose uploads need it', async () => {
  await gateway.fetch(REDELIVERY, { method: 'POST' });
  expect((await rate.take(row.clientId, rate.points)).granted).toBe(rate.points);
});
