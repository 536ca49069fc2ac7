/**
 * A client receives signed messages about the end of its imports, and no message goes to a forbidden address
 * (decision §signed-webhooks).
 */
import { afterEach, describe, expect, it } from 'vitest';
import { PRODUCTS_FAILED_EVENT } from '../../src/contract/statuses.ts';
import type { WebhookDelivery, Webhook as WebhookOfClient } from '../../src/contract/types.ts';
import { packageImportWorkflowId, webhookDeliveryWorkflowId } from '../../src/domain/ids.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, packageOf } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { inTransaction } from '../support/transactions.ts';
import { call, finished, upload } from '../support/upload.ts';
import { startWebhookReceiver, verified } from '../support/webhook-receiver.ts';
import { zipOf } from '../support/zip.ts';

const WEBHOOK = '/regulator/webhook';

const receiver = await startWebhookReceiver();
const stack = await startStack({
  env: {
    WEBHOOK_HOSTS: `${receiver.host},hooks.company.example`,
    PUBLIC_URL: 'https://import.example/api',
  },
});
const { imports } = stack;
afterEach(async () => {
  Object.assign(receiver, { status: 200, respond: null });
  receiver.messages.length = 0;
  await call(stack, 'DELETE', WEBHOOK);
});

/** Returns the secret. */
async function register(url: string | null = receiver.url): Promise<string> {
  const { status, body } = await call<WebhookOfClient>(stack, 'PUT', WEBHOOK, { json: { url } });
  expect(status).toBe(200);
  return body.data.secret ?? '';
}

const redeliverPath = (id: number) => `${WEBHOOK}/deliveries/${id}/actions/redeliver`;

async function deliveries(importId: number): Promise<WebhookDelivery[]> {
  const path = `${WEBHOOK}/deliveries?import_id=${importId}`;
  return (await call<{ deliveries: WebhookDelivery[] }>(stack, 'GET', path)).body.data.deliveries;
}

/** A reconciler that runs while an import is under way announces its failed products, too. */
const isOfEnd = ({ event }: WebhookDelivery) => event !== PRODUCTS_FAILED_EVENT;

async function reached(importId: number, status: string): Promise<WebhookDelivery> {
  const all = async () => (await deliveries(importId)).filter(isOfEnd);
  return eventually(async () => (await all()).find((one) => one.status === status));
}

const uploadTo = async (webhookUrl: string) =>
  upload<{ id: number; code: string }>(stack, await packageOf({}), { fields: { webhook_url: webhookUrl } });

describe('a webhook', () => {
  it('reports the end of an import, after it can be read, signed and small', async () => {
    const secret = await register();
    const [good, bad] = [newProductId(), newProductId()];
    imports.reject(bad);
    const { id } = await imports.importProducts([{ productId: good }, { productId: bad }]);
    const delivery = await reached(id, 'delivered');
    const ends = receiver.messages.filter(({ body }) => !body.includes(PRODUCTS_FAILED_EVENT));
    expect(ends).toHaveLength(1);
    const [message] = ends;
    expect(message && verified(message, secret)).toEqual({
      type: 'package_import.completed',
      timestamp: (await finished(stack, id)).completed_at,
      data: {
        import_id: id,
        counts: {
          created: 2,
          skipped: 0,
          failed: 0,
          queued: 2,
          queue_failed: 0,
          inserted: 1,
          insert_failed: 1,
        },
        url: `https://import.example/api/regulator/package-imports/${id}`,
      },
    });
    expect(message?.body.length).toBeLessThan(1024);
    expect(delivery).toMatchObject({ target: 'client', attempts: 1, last_status: 200, last_error: null });
    expect(delivery).toMatchObject({ last_body: 'thank you', size_bytes: message?.body.length });
    expect(message?.headers['webhook-id']).toBe(delivery.webhook_id);
  });

  it('reports an unreadable package, and a cancelled import', async () => {
    const secret = await register();
    await upload(stack, await zipOf({ 'a/export/x.xml': '', 'b/export/x.xml': '' }));
    const failed = await eventually(async () => receiver.messages.at(0));
    expect(verified(failed, secret)).toMatchObject({
      type: 'package_import.failed',
      data: { counts: { created: 0, inserted: 0 } },
    });
    imports.takeRegulatorAway();
    const { importId, importUuid } = await imports.importOne();
    await imports.parent(importUuid).cancel();
    const cancelled = await eventually(async () => receiver.messages.at(1));
    expect(verified(cancelled, secret)).toMatchObject({
      type: 'package_import.cancelled',
      data: { import_id: importId },
    });
  });

  it('is sent to the URL of an upload, too, with the secret of its client, and once if both are the same', async () => {
    const secret = await register(null);
    const own = `${receiver.url}/of-the-upload`;
    const first = (await uploadTo(own)).body.data.id;
    expect(await reached(first, 'delivered')).toMatchObject({ target: 'import', url: own });
    await register(own);
    const second = (await uploadTo(own)).body.data.id;
    await reached(second, 'delivered');
    expect((await deliveries(second)).map(({ target }) => target)).toEqual(['import']);
    expect(receiver.messages).toHaveLength(2);
    for (const message of receiver.messages) expect(() => verified(message, secret)).not.toThrow();
  });

  it('does not keep an import open while its receiver is away, and is delivered later', async () => {
    await register();
    receiver.status = 500;
    const { importId, importUuid } = await imports.importOne();
    await eventually(async () => (await deliveries(importId)).at(0)?.attempts === 1);
    const run = stack.temporal.workflow.getHandle(packageImportWorkflowId(importUuid));
    await eventually(async () => (await run.describe()).status.name === 'COMPLETED');
    const [pending] = await deliveries(importId);
    expect(pending).toMatchObject({ status: 'pending', last_status: 500, delivered_at: null });
    expect(pending?.last_body).toBe('thank you');
    receiver.status = 200;
    const delivered = await reached(importId, 'delivered');
    expect(delivered.attempts).toBeGreaterThan(1);
    const ids = receiver.messages.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([delivered.webhook_id]));
  });

  it('that is given up can be sent again by its client only, to the current URL', async () => {
    await register(`${receiver.url}/old`);
    receiver.status = 410;
    const { importId } = await imports.importOne();
    const failed = await reached(importId, 'failed');
    expect(failed).toMatchObject({
      attempts: 1,
      last_status: 410,
      last_error: expect.stringContaining('no longer exists'),
    });
    await register(`${receiver.url}/new`);
    receiver.status = 200;
    const redeliver = redeliverPath(failed.id);
    const answer = await call<WebhookDelivery>(stack, 'POST', redeliver);
    expect(answer).toMatchObject({
      status: 202,
      body: { data: { id: failed.id, url: `${receiver.url}/new` } },
    });
    expect(await reached(importId, 'delivered')).toMatchObject({
      webhook_id: failed.webhook_id,
      attempts: 2,
    });
    expect(receiver.messages.map(({ body }) => body)).toEqual([
      receiver.messages[0]?.body,
      receiver.messages[0]?.body,
    ]);
    const trail = await stack.sql<{ actor: string }>(
      `select actor from audit_event where action = 'webhook.redelivery' and import_id = ${importId}`,
    );
    expect(trail).toEqual([{ actor: 'client:demo-client' }]);
    expect((await call(stack, 'POST', redeliverPath(failed.id + 1_000))).status).toBe(404);
  });

  it('is sent again even while the run that has just delivered it is open', async () => {
    await register();
    const held = receiver.hold();
    const { importId } = await imports.importOne();
    await eventually(async () => held.count > 0);
    await inTransaction(stack, async (em) => {
      // The attempt is recorded, but does not end: it cannot release its slot.
      await em.execute(`select token from client_slot where kind = 'webhook' for update`);
      held.release();
      const { id } = await reached(importId, 'delivered');
      expect((await call(stack, 'POST', redeliverPath(id))).status).toBe(202);
    });
    expect(await reached(importId, 'delivered')).toMatchObject({ attempts: 2 });
    expect(receiver.messages).toHaveLength(2);
  });

  it('is given up after its time, and its workflow does not fail', async () => {
    await register();
    receiver.status = 500;
    const { importId } = await imports.importOne();
    const [delivery] = await eventually(async () => {
      const all = await deliveries(importId);
      return all[0]?.attempts ? all : null;
    });
    const uuid = delivery?.webhook_id.replace('msg_', '') ?? '';
    const run = stack.temporal.workflow.getHandle(webhookDeliveryWorkflowId(uuid));
    await run.cancel();
    expect(await run.result()).toEqual({ delivered: false });
    expect(await reached(importId, 'failed')).toMatchObject({ last_error: expect.stringContaining('500') });
  });
});

describe('a test message', () => {
  const TEST = `${WEBHOOK}/actions/test`;
  const listed = async () =>
    (await call<{ deliveries: WebhookDelivery[] }>(stack, 'GET', `${WEBHOOK}/deliveries`)).body.data
      .deliveries;

  it('is signed, listed, recorded, and can be sent again', async () => {
    const secret = await register();
    const { status, body } = await call<WebhookDelivery>(stack, 'POST', TEST);
    expect(status).toBe(202);
    expect(body.data).toMatchObject({ import_id: null, event: 'webhook.test', target: 'client' });
    const message = await eventually(async () => receiver.messages.at(0));
    expect(verified(message, secret)).toEqual({
      type: 'webhook.test',
      timestamp: expect.stringMatching(/Z$/),
      data: {},
    });
    const delivered = await eventually(async () => {
      const [newest] = await listed();
      return newest?.status === 'delivered' ? newest : null;
    });
    expect(delivered).toMatchObject({
      id: body.data.id,
      webhook_id: message.headers['webhook-id'],
      attempts: 1,
    });
    expect(
      await stack.sql(`select actor, import_id, detail from audit_event where action = 'webhook.test'`),
    ).toEqual([{ actor: 'client:demo-client', import_id: null, detail: { id: delivered.id } }]);
    expect((await call(stack, 'POST', redeliverPath(delivered.id))).status).toBe(202);
    await eventually(async () => receiver.messages.length === 2);
  });

  it('needs a webhook with a URL', async () => {
    const refused = async () => (await call<{ code: string }>(stack, 'POST', TEST)).body.data.code;
    expect(await refused()).toBe('webhook_missing');
    await register(null);
    expect(await refused()).toBe('webhook_missing');
  });

  it('is counted by the hourly quota of the client', async () => {
    await register();
    const used = async () => {
      const [row] = await stack.sql<{ points: number }>(
        `select points from client_rate where key like 'webhooks:%'`,
      );
      return row?.points ?? 0;
    };
    const before = await used();
    await call(stack, 'POST', TEST);
    expect(await used()).toBe(before + 1);
    await eventually(async () => receiver.messages.length === 1);
  });
});

describe('the secret', () => {
  it('is shown once, is encrypted in the database, and is replaced with an overlap', async () => {
    const secret = await register();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await register()).toBe('');
    expect((await call<WebhookOfClient>(stack, 'GET', WEBHOOK)).body.data).toMatchObject({
      url: receiver.url,
      secret: null,
    });
    const { body } = await call<WebhookOfClient>(stack, 'POST', `${WEBHOOK}/actions/rotate-secret`);
    const rotated = body.data.secret ?? '';
    expect(rotated).not.toBe(secret);
    expect(Date.parse(body.data.previous_secret_valid_until ?? '')).toBeGreaterThan(Date.now());
    const [row] = await stack.sql<Record<string, string>>('select * from webhook');
    for (const one of [secret, rotated])
      expect(JSON.stringify(row)).not.toContain(one.slice('whsec_'.length));
    await reached((await imports.importOne()).importId, 'delivered');
    const both = await eventually(async () => receiver.messages.at(-1));
    for (const one of [secret, rotated]) expect(() => verified(both, one)).not.toThrow();
    await stack.sql(`update webhook set previous_secret_valid_until = now()`);
    await reached((await imports.importOne()).importId, 'delivered');
    const later = await eventually(async () => receiver.messages.at(1));
    expect(() => verified(later, rotated)).not.toThrow();
    expect(() => verified(later, secret)).toThrow();
  });

  it('is removed with its webhook: running deliveries are given up', async () => {
    await register();
    imports.takeRegulatorAway();
    const { importId } = await imports.importOne();
    await stack.sql(`update zip_import set webhook_url = '${receiver.url}' where id = ${importId}`);
    await call(stack, 'DELETE', WEBHOOK);
    imports.restoreRegulator();
    expect((await reached(importId, 'failed')).last_error).toContain('no secret');
    expect((await call(stack, 'GET', WEBHOOK)).body.data).toMatchObject({ url: null, updated_at: null });
  });
});

describe('a refused URL', () => {
  it.each([
    ['a host that is not listed', 'https://evil.example/', 400, 'webhook_url_refused'],
    ['http to another machine', 'http://hooks.company.example/', 400, 'webhook_url_refused'],
    ['no URL', 'hooks', 400, 'webhook_url_refused'],
  ])('is %s, for a client and for an upload', async (_what, url, status, code) => {
    await register(null);
    const put = await call<{ code: string }>(stack, 'PUT', WEBHOOK, { json: { url } });
    expect([put.status, put.body.data.code]).toEqual([status, code]);
    const sent = await uploadTo(url);
    expect([sent.status, sent.body.data.code]).toEqual([status, code]);
  });

  it('is that of an upload whose client has no secret', async () => {
    const { status, body } = await uploadTo(receiver.url);
    expect([status, body.data.code]).toEqual([409, 'webhook_missing']);
  });

  it('is one above the hourly quota of the client, before anything is recorded', async () => {
    await register();
    await stack.sql(`update client_rate set points = 1000 where key like 'webhooks:%'`);
    const before = await stack.count('zip_import');
    const { status, headers, body } = await uploadTo(receiver.url);
    expect([status, body.data.code]).toEqual([429, 'too_many_requests']);
    expect(headers.get('ratelimit-policy')).toContain('"webhooks";q=1000');
    expect(await stack.count('zip_import')).toBe(before);
    expect((await call(stack, 'POST', `${WEBHOOK}/actions/test`)).status).toBe(429);
  });
});
