/**
 * IDs have 64 bits: 32 bits last 215 days at ten million products a day. Every field and path with an ID
 * accepts one above 2^31, as a number.
 */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { ImportRetry, ImportSummary, Submission, WebhookDelivery } from '../../src/contract/types.ts';
import { eventually } from '../support/eventually.ts';
import { startStack } from '../support/starters/stack.ts';
import { call, finished, report, upload } from '../support/upload.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

/** Number of IDs used before. It differs per table, so that no ID is valid in another table. */
const GIVEN_OUT = 2 ** 31;
const APART = 1_000_000_000;

const receiver = await startWebhookReceiver();
const stack = await startStack({ env: { WEBHOOK_HOSTS: receiver.host } });
const { imports } = stack;
await stack.sql(
  `select setval(format('%I', sequencename)::regclass, ${GIVEN_OUT} + ${APART} * row_number() over (order by sequencename))
     from pg_sequences where schemaname = 'public' and sequencename <> 'mikro_orm_migrations_id_seq'`,
);

const PATH = '/regulator/package-imports';

it('a 64-bit id works in upload, lists, reports, files, retries and webhooks', async () => {
  await call(stack, 'PUT', '/regulator/webhook', { json: { url: receiver.url } });
  const zip = await readFile(new URL('../../examples/package.zip', import.meta.url));
  imports.takeRegulatorAway();
  const { status, body } = await upload(stack, zip, { email: 'person@company.example' });
  expect(status).toBe(200);
  const { id, submissions, queue } = body.data;
  expect(id).toBeGreaterThan(GIVEN_OUT);
  expect(submissions.length).toBeGreaterThan(5);
  for (const submission of submissions) expect(submission.id).toBeGreaterThan(GIVEN_OUT);
  expect(queue.results.map(({ submission_id }) => submission_id)).toEqual(submissions.map((row) => row.id));

  // One product is rejected, which leaves one to retry; the others are inserted with their attachments.
  const [refused] = submissions;
  imports.restoreRegulator();
  imports.reject(refused?.product_id ?? '', 'emission');
  expect(await finished(stack, id)).toMatchObject({ id, status: 'completed' });
  expect((await report(stack, id)).progress).toMatchObject({
    regulator_inserted: submissions.length - 1,
    regulator_insert_failed: 1,
  });
  const links = await stack.sql<{ id: number; attachment_row_id: number | null; sent: boolean }>(
    'select id, attachment_row_id, sent_at is not null as sent from submission_attachment',
  );
  expect(links.some(({ sent }) => sent)).toBe(true);
  for (const link of links) {
    expect(link.id).toBeGreaterThan(GIVEN_OUT);
    expect(link.attachment_row_id ?? Number.POSITIVE_INFINITY).toBeGreaterThan(GIVEN_OUT);
  }

  const list = await call<{ imports: ImportSummary[] }>(stack, 'GET', `${PATH}?before=${id + 1}`);
  expect(list.body.data.imports.map((row) => row.id)).toEqual([id]);
  const one = await call<Submission>(stack, 'GET', `/regulator/submissions/${refused?.id}`);
  expect(one.body.data).toMatchObject({ id: refused?.id, zip_import_id: { id } });

  const retried = await call<ImportRetry>(stack, 'POST', `${PATH}/${id}/actions/regulator-insert`);
  expect(retried.status).toBe(202);
  await eventually(
    async () => (await report(stack, id)).submissions[0]?.status === 'regulator_insert_failed',
  );
  imports.restoreRegulator();
  expect((await imports.run(refused?.id ?? 0)).body.data).toMatchObject({ submission_id: refused?.id });
  await imports.reached(refused?.id ?? 0, 'regulator_inserted');
  const results = await call<ImportRetry>(stack, 'GET', `${PATH}/${id}/actions/regulator-insert`);
  expect(results.body.data.results.map((result) => result.submission_id)).toEqual([refused?.id]);

  const message = await eventually(async () => receiver.messages[0]);
  expect(JSON.parse(message.body)).toMatchObject({ data: { import_id: id } });
  const deliveriesPath = '/regulator/webhook/deliveries';
  const delivered = async () => {
    const { deliveries } = (await call<{ deliveries: WebhookDelivery[] }>(stack, 'GET', deliveriesPath)).body
      .data;
    return deliveries.find((delivery) => delivery.status === 'delivered');
  };
  const delivery = await eventually(delivered);
  expect(delivery.id).toBeGreaterThan(GIVEN_OUT);
  const again = await call(stack, 'POST', `${deliveriesPath}/${delivery.id}/actions/redeliver`);
  expect(again.status).toBe(202);
  const isSame = ({ headers }: (typeof receiver.messages)[number]) =>
    headers['webhook-id'] === delivery.webhook_id;
  await eventually(async () => receiver.messages.filter(isSame).length === 2);

  const trail = await stack.sql<{ import_id: number; submission_id: number | null }>(
    `select distinct import_id, submission_id from audit_event where import_id is not null`,
  );
  expect(new Set(trail.map((event) => event.import_id))).toEqual(new Set([id]));
  expect(trail.map((event) => event.submission_id)).toContain(refused?.id);
});

it('an inexact id is refused', async () => {
  const { status, body } = await call<{ code: string }>(stack, 'GET', `${PATH}/9007199254740993`);
  expect({ status, code: body.data.code }).toEqual({ status: 400, code: 'invalid_request' });
});
