/**
 * Run by `npm run prove -- record-release`: uses every function of the service once, and stores its database
 * rows and its statements as those of the present release (test/database/support/releases.ts).
 */
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import { writeZip } from '../archive/support/zip-writer.ts';
import { eventually } from '../support/eventually.ts';
import {
  attachmentPath,
  attachmentXml,
  newProductId,
  productPath,
  productXml,
} from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { reconcileNow } from '../support/temporal.ts';
import { call, finished, report, upload } from '../support/upload.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { zipOf } from '../support/zip.ts';
import { storeRelease } from './support/releases.ts';

const RECIPIENT = 'person@company.example';
const SCHEDULES = ['retention', 'statistics', 'mail-digests'];

const receiver = await startWebhookReceiver();
const stack = await startStack({ env: { WEBHOOK_HOSTS: receiver.host } });
const { imports } = stack;
await stack.sql('create extension pg_stat_statements');
await stack.sql('select pg_stat_statements_reset()');

it('the current release', { timeout: 300_000 }, async () => {
  await call(stack, 'PUT', '/regulator/webhook', { json: { url: receiver.url } });
  const complete = await importACompletePackage();
  const partial = await importWhatCannotBeRead();
  const retried = await retryProducts();
  await cancelAnImport();
  await checkWithoutImporting();
  await pauseInserting();
  await runSchedules();
  await askForEverything({ complete, partial, retried });
  await leaveAnImportOpen();
  await storeRelease(stack);
  imports.restoreRegulator();
});

/** With attachments and a submitter. @returns the import */
async function importACompletePackage(): Promise<number> {
  const zip = await buffer(
    generatePackage({ products: 2, attachments: 2, attachmentBytes: 1024 }).toStream(),
  );
  const headers = { 'idempotency-key': 'once' };
  const { body } = await upload(stack, zip, { email: RECIPIENT, comment: 'complete', headers });
  await finished(stack, body.data.id);
  return body.data.id;
}

/** A package, and files of another one. @returns the import with the unreadable files */
async function importWhatCannotBeRead(): Promise<number> {
  const twice = productXml();
  const entries = { [productPath('a')]: twice, [productPath('b')]: twice, [productPath('c')]: '<open>' };
  const { data } = (await upload(stack, await zipOf(entries), { email: RECIPIENT })).body;
  await finished(stack, data.id);
  const attachment = { name: attachmentPath('a'), content: attachmentXml('kept no longer') };
  const damaged = { name: productPath('a'), content: productXml(), crc32: 1 };
  expect((await upload(stack, writeZip({ entries: [attachment, damaged] }))).status).toBe(500);
  const ofFailed = "attachment a join zip_import i on i.id = a.zip_import_id where i.status = 'failed'";
  await eventually(async () => (await stack.count(ofFailed)) === 0);
  return data.id;
}

/** @returns the import */
async function retryProducts(): Promise<number> {
  const productId = newProductId();
  imports.reject(productId);
  const { importId, submissionId } = await imports.importOne({ productId });
  await finished(stack, importId);
  const path = `/regulator/package-imports/${importId}/actions/regulator-insert`;
  expect((await call(stack, 'POST', path)).status).toBe(202);
  await eventually(
    async () => (await call<{ pending_count: number }>(stack, 'GET', path)).body.data.pending_count === 0,
  );
  await imports.reached(submissionId, 'regulator_insert_failed');
  imports.restoreRegulator();
  await eventually(async () => (await imports.run(submissionId)).status === 202);
  await imports.reached(submissionId, 'regulator_inserted');
  return importId;
}

async function cancelAnImport(): Promise<void> {
  imports.takeRegulatorAway();
  const { importId } = await imports.importOne();
  await call(stack, 'POST', `/regulator/package-imports/${importId}/actions/cancel`);
  await finished(stack, importId);
  imports.restoreRegulator();
}

async function checkWithoutImporting(): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([(await zipOf({ [productPath('a')]: productXml() })).slice()]), 'package.zip');
  form.set('dry_run', 'true');
  expect((await call(stack, 'POST', '/regulator/package-import', { body: form })).status).toBe(200);
}

async function pauseInserting(): Promise<void> {
  await call(stack, 'POST', '/regulator/inserting/actions/pause', { json: { reason: 'maintenance' } });
  await call(stack, 'POST', '/regulator/inserting/actions/resume');
}

async function runSchedules(): Promise<void> {
  await reconcileNow(stack);
  for (const name of SCHEDULES) {
    await stack.temporal.schedule.getHandle(`package-import-${name}`).trigger();
    await eventually(async () => {
      const runs = stack.temporal.workflow.list({
        query: `WorkflowType = '${name}' and ExecutionStatus = 'Completed'`,
      });
      for await (const _ of runs) return true;
      return false;
    });
  }
}

async function askForEverything(of: Record<'complete' | 'partial' | 'retried', number>): Promise<void> {
  const { submissions } = await report(stack, of.complete);
  const [{ id, product_id } = { id: 0, product_id: '' }] = submissions;
  const list = '/regulator/package-imports';
  const one = `${list}/${of.complete}`;
  const paths = [
    `${list}?limit=2`,
    `${list}?status=completed&before=${of.retried}&client_id=demo-client`,
    `${list}?file_name=package&comment=complete&has_failures=true&from=2026-01-01T00:00:00Z`,
    `${one}?view=summary`,
    `${one}/products.csv`,
    `${one}/files.csv`,
    `${list}/${of.partial}/repair-pack`,
    `/regulator/submissions?status=regulator_inserted&import_id=${of.complete}`,
    `/regulator/submissions/${id}`,
    `/regulator/submissions/${id}/xml`,
    `/regulator/products/${product_id}`,
    '/regulator/statistics',
    '/regulator/statistics?by=hour',
    '/regulator/statistics/stored',
    `/regulator/audit-events?import_id=${of.complete}`,
    '/regulator/audit-events?action=webhook.registered',
    '/regulator/session',
    '/regulator/webhook',
    `/regulator/webhook/deliveries?import_id=${of.complete}`,
  ];
  const headers = { authorization: `Bearer ${await stack.token()}` };
  for (const path of paths) {
    const response = await fetch(stack.gatewayUrl + path, { headers });
    const text = await response.text();
    expect(response.status, `${path}: ${text.slice(0, 500)}`).toBe(200);
  }
}

/** Leaves two products in the middle of their inserts. */
async function leaveAnImportOpen(): Promise<void> {
  imports.takeRegulatorAway();
  const { id } = await imports.importProducts([{ productId: newProductId() }, { productId: newProductId() }]);
  await eventually(async () => {
    const { submissions } = await report(stack, id);
    return submissions.every(({ status }) => status === 'regulator_inserting');
  });
}
