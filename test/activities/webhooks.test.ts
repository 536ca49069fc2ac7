/** One attempt to deliver a message, and the message about an import (decision §signed-webhooks). */
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createDeliverWebhook, createPlanWebhooks } from '../../activities/webhooks.ts';
import type { WebhookPayload } from '../../src/contract/types.ts';
import type { DeliveryAttempt } from '../../src/domain/webhook.ts';
import type { WebhookAnswer } from '../../src/notifications/webhooks/sender.ts';

const ANSWER: WebhookAnswer = {
  delivered: true,
  status: 204,
  body: '',
  error: null,
  retryAfterSeconds: null,
};

const URL = 'https://hooks.company.example/';

/** Tries once. Returns the failure, what was recorded and sent, and the number of slots that are still taken. */
async function deliver(
  answer: Partial<WebhookAnswer>,
  { isBusy = false, attempts = 0, ageMs = 0, attempt = 1, status = 'pending', url = URL } = {},
) {
  const recorded: DeliveryAttempt[] = [];
  let [taken, sent] = [0, 0];
  const delivery = {
    uuid: 'uuid',
    clientId: 'client',
    tenant: 'client',
    url,
    payload: '{}',
    attempts,
    status,
  };
  const dependencies = {
    database: {
      webhooks: { secrets: async () => ['whsec_AAAA'] },
      webhookDeliveries: {
        find: async () => delivery,
        recordAttempt: async (_uuid: string, one: DeliveryAttempt) => void recorded.push(one),
      },
    },
    webhooks: {
      rules: { hosts: ['hooks.company.example'], loopback: false },
      sender: {
        async send() {
          sent += 1;
          return { ...ANSWER, ...answer };
        },
      },
      slots: {
        limit: 4,
        async take() {
          if (isBusy) return null;
          taken += 1;
          return async () => {
            taken -= 1;
          };
        },
      },
    },
  } as unknown as ImportDependencies;
  const environment = new MockActivityEnvironment({ attempt, scheduledTimestampMs: Date.now() - ageMs });
  const failure: unknown = await environment
    .run(createDeliverWebhook(dependencies), { deliveryUuid: 'uuid' })
    .then(
      () => null,
      (error: unknown) => error,
    );
  return { failure, recorded, sent, taken };
}

describe('an attempt', () => {
  it('that is accepted is recorded, and gives its slot back', async () => {
    const { failure, recorded, taken } = await deliver({});
    expect([failure, taken]).toEqual([null, 0]);
    expect(recorded).toMatchObject([{ delivered: true, status: 204 }]);
  });

  it.each([
    [0, 5],
    [60, 60],
    [3_600, 3_600],
    [86_400, 3_600],
  ])('after which the receiver asks for a pause of %o s is repeated after %o s', async (asked, pause) => {
    const answer = { delivered: false, status: 503, body: 'later', error: 'busy', retryAfterSeconds: asked };
    const { failure, recorded, taken } = await deliver(answer);
    expect(failure).toMatchObject({ name: 'WebhookUndelivered', permanent: false, retryAfterSeconds: pause });
    expect(recorded).toEqual([{ delivered: false, status: 503, body: 'later', error: 'busy' }]);
    expect(taken).toBe(0);
  });

  it('that gets status 410 is the last', async () => {
    const { failure, recorded, taken } = await deliver({ delivered: false, status: 410 });
    expect(failure).toMatchObject({ name: 'WebhookRefused', permanent: true });
    expect(recorded).toMatchObject([{ delivered: false, status: 410 }]);
    expect(taken).toBe(0);
  });

  it.each([
    ['was delivered', { status: 'delivered' }, null],
    ['was given up', { status: 'failed' }, 'WebhookRefused'],
    ['goes to a host that is no longer allowed', { url: 'https://elsewhere.example/' }, 'WebhookRefused'],
  ])('of a message that %s sends nothing', async (_which, delivery, failure) => {
    const tried = await deliver({}, delivery);
    expect([(tried.failure as Error | null)?.name ?? null, tried.sent, tried.taken]).toEqual([failure, 0, 0]);
  });

  it('waits while other messages of its client are in delivery, and is not counted', async () => {
    const { failure, recorded, sent } = await deliver({}, { isBusy: true });
    expect(failure).toMatchObject({ name: 'ClientBusy', permanent: false });
    expect([recorded, sent]).toEqual([[], 0]);
  });

  const HOUR_MS = 3_600_000;
  it.each([
    ['the first', { attempts: 0, ageMs: 0 }, 5],
    ['the third', { attempts: 2, ageMs: HOUR_MS }, 45],
    ['the twentieth', { attempts: 19, ageMs: 10 * HOUR_MS }, 7_200],
    ['the twentieth, soon after the message was requested again', { attempts: 19, ageMs: 0 }, 5],
  ])(
    'is repeated after a pause that grows with the attempts of the receiver: %s',
    async (_which, age, pause) => {
      const { failure } = await deliver({ delivered: false, status: 503 }, age);
      expect(failure).toMatchObject({ retryAfterSeconds: pause });
    },
  );

  it.each([1, 100])('that waits for others asks again within a minute (attempt %i)', async (attempt) => {
    const { failure } = await deliver({}, { isBusy: true, attempt });
    const { retryAfterSeconds } = failure as { retryAfterSeconds: number };
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(retryAfterSeconds).toBeLessThanOrEqual(61);
  });
});

describe('the message about an import', () => {
  const counts = {
    created: 1,
    skipped: 2,
    failed: 3,
    queued: 4,
    queueFailed: 5,
    inserted: 6,
    insertFailed: 7,
  };

  async function planned(record: object, hosts: string[] = ['hooks.company.example']) {
    const payloads: WebhookPayload[] = [];
    const planWebhooks = createPlanWebhooks({
      database: {
        imports: { find: async () => record },
        webhookDeliveries: {
          plan: async (_importId: number, payload: WebhookPayload) => {
            payloads.push(payload);
            return ['uuid'];
          },
        },
      },
      webhooks: { rules: { hosts, loopback: false }, importUrl: (id: number) => `https://api/${id}` },
    } as unknown as ImportDependencies);
    return { uuids: await planWebhooks(7, counts), payloads };
  }

  it('has each count under its name, the end of the import and its URL', async () => {
    const completedAt = new Date('2026-01-31T12:00:00Z');
    expect(await planned({ status: 'completed', completedAt })).toEqual({
      uuids: ['uuid'],
      payloads: [
        {
          type: 'package_import.completed',
          timestamp: '2026-01-31T12:00:00.000Z',
          data: {
            import_id: 7,
            counts: {
              created: 1,
              skipped: 2,
              failed: 3,
              queued: 4,
              queue_failed: 5,
              inserted: 6,
              insert_failed: 7,
            },
            url: 'https://api/7',
          },
        },
      ],
    });
  });

  it('is planned only at its end, and only where webhooks are allowed', async () => {
    const none = { uuids: [], payloads: [] };
    expect(await planned({ status: 'inserting', completedAt: null })).toEqual(none);
    expect(await planned({ status: 'completed', completedAt: new Date() }, [])).toEqual(none);
  });
});
