/** Webhooks announce events that no end of an import announces (decision §signed-webhooks). */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { WEBHOOK_MESSAGES } from '../../src/contract/schemas/webhook-messages.ts';
import type { Webhook as WebhookOfClient, WebhookPayload } from '../../src/contract/types.ts';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { call, finished } from '../support/upload.ts';
import { startWebhookReceiver, verified } from '../support/webhook-receiver.ts';

const receiver = await startWebhookReceiver();
const stack = await startStack({ env: { WEBHOOK_HOSTS: receiver.host } });
const { imports } = stack;
let secret = '';
beforeAll(async () => {
  const json = { url: receiver.url };
  secret = (await call<WebhookOfClient>(stack, 'PUT', '/regulator/webhook', { json })).body.data.secret ?? '';
});
afterEach(() => {
  receiver.messages.length = 0;
});

/** The verified messages without those about the end of imports. */
function received(): WebhookPayload[] {
  const messages = receiver.messages.map((message) => verified(message, secret));
  for (const message of messages) WEBHOOK_MESSAGES[message.type].message.parse(message);
  return messages.filter(({ type }) => type !== 'package_import.completed');
}

/** Runs the reconciler once more, beside its schedule. */
async function reconciled(): Promise<void> {
  await stack.temporal.workflow.execute(WORKFLOW_TYPES.reconcile, {
    workflowId: 'reconcile-of-the-test',
    taskQueue: TASK_QUEUES.packageImport,
  });
}

/** Waits for exactly these messages. */
async function announced(...types: string[]): Promise<WebhookPayload[]> {
  await reconciled();
  await eventually(async () => received().length >= types.length);
  const messages = received();
  expect(messages.map(({ type }) => type)).toEqual(types);
  return messages;
}

const action = (name: 'pause' | 'resume') =>
  call(stack, 'POST', `/regulator/inserting/actions/${name}`, {
    ...(name === 'pause' && { json: { reason: 'maintenance' } }),
  });

it('failed products: the first, and again whenever their number has doubled', async () => {
  imports.takeRegulatorAway();
  const productIds = Array.from({ length: 5 }, newProductId);
  const { id } = await imports.importProducts(productIds.map((productId) => ({ productId })));
  const counts: number[] = [];
  for (const failed of [1, 2, 3, 4]) {
    await stack.sql(
      `update submission set status = 'regulator_insert_failed'
        where id in (select id from submission where zip_import_id = ${id} order by id limit ${failed})`,
    );
    if (failed === 3) await reconciled();
    else await announced(...Array(counts.push(failed)).fill('package_import.products_failed'));
  }
  expect(received().map(({ data }) => data)).toEqual(
    counts.map((insert_failed) => ({ import_id: id, insert_failed, url: null })),
  );
  imports.restoreRegulator();
  await finished(stack, id);
});

it('no product whose insert was cancelled: the end of the import tells of it', async () => {
  // The insert is in a call meanwhile. Between two calls it would see that it has failed, and the import would end.
  stack.simulator.simulation.behaviour.latency_ms = 5_000;
  const { id } = await imports.importProducts([{ productId: newProductId() }]);
  await stack.sql(
    `update submission set status = 'regulator_insert_failed', failure_code = 'cancelled' where zip_import_id = ${id}`,
  );
  await reconciled();
  expect(await stack.sql(`select event from webhook_delivery where zip_import_id = ${id}`)).toEqual([]);
  imports.restoreRegulator();
  await finished(stack, id);
});

it('the beginning and the end of a pause', async () => {
  await action('pause');
  const [paused] = await announced('inserting.paused');
  const state = await call<{ paused_at: string }>(stack, 'GET', '/regulator/inserting');
  expect(paused?.timestamp).toBe(state.body.data.paused_at);
  await reconciled();
  await action('resume');
  await announced('inserting.paused', 'inserting.resumed');
  await reconciled();
  expect(received()).toHaveLength(2);
});

it('a session that cannot be renewed, and its end', async () => {
  const { behaviour, state } = stack.simulator.simulation;
  behaviour.renewal = 'refused';
  await stack.logIn();
  // An hour of which five minutes are left: the renewal has been due for five minutes.
  await stack.sql(`update regulator_session
    set updated_at = now() - interval '55 minutes', expires_at = now() + interval '5 minutes'`);
  const [soon] = await announced('regulator_session.ends_soon');
  const session = await call<{ expires_at: string }>(stack, 'GET', '/regulator/session');
  expect(soon?.data).toEqual({ expires_at: session.body.data.expires_at });
  await state.endSession();
  await stack.sql(`update regulator_session set expires_at = now()`);
  await announced('regulator_session.ends_soon', 'regulator_session.ended');
  Object.assign(behaviour, { renewal: 'granted' });
  await stack.logIn();
  await reconciled();
  expect(received()).toHaveLength(2);
});

it('what was recorded before a crash, and not started', async () => {
  const now = new Date().toISOString();
  const payload = { type: 'regulator_session.ended', timestamp: now, data: { expires_at: now } } as const;
  await stack.database.webhookDeliveries.planForAll(payload, 'crash');
  expect(await announced('regulator_session.ended')).toEqual([payload]);
});

it('the end of an import whose message was recorded, and whose run Temporal has lost', async () => {
  const { id } = await imports.importProducts([{ productId: newProductId() }]);
  const { completed_at: timestamp } = await finished(stack, id);
  const counts = {
    created: 1,
    skipped: 0,
    failed: 0,
    queued: 1,
    queue_failed: 0,
    inserted: 1,
    insert_failed: 0,
  };
  const data = { import_id: id, counts, url: null };
  const payload = { type: 'package_import.cancelled', timestamp: timestamp ?? '', data } as const;
  await stack.database.webhookDeliveries.plan(id, payload);
  expect(await announced('package_import.cancelled')).toEqual([payload]);
});

it('nothing to a tenant without a webhook', async () => {
  await call(stack, 'DELETE', '/regulator/webhook');
  await action('pause');
  await reconciled();
  await action('resume');
  await reconciled();
  expect(await stack.count(`webhook_delivery where status = 'pending'`)).toBe(0);
  expect(received()).toEqual([]);
});
