/**
 * Kills processes in the middle of their work: nothing is lost, no product gets a second case, and one mail
 * is sent.
 */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { GOOD_BEHAVIOUR } from '../../src/trial-parts/regulator-simulator/behaviour.ts';
import { eventually } from '../support/eventually.ts';
import { importsOf } from '../support/imports.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { type StackProcess, startStackProcess } from '../support/services/stack-processes.ts';
import { seemServed } from '../support/temporal.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const PRODUCTS = 12;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ withoutWorkers: true });
});
afterAll(() => stack.stop());

async function process(program: 'gateway' | 'worker'): Promise<StackProcess> {
  const started = await startStackProcess(stack, program);
  onTestFinished(() => started.stop());
  return started;
}

async function newPackage() {
  const products = Array.from({ length: PRODUCTS }, newProductId);
  const entries = products.map((productId) => [productPath(productId), productXml({ productId })]);
  return { products, zip: await zipOf(Object.fromEntries(entries)) };
}

/** Asserts that every product is inserted, in one case each, with every section sent once, and one mail. */
async function expectWhole(importId: number, products: string[]): Promise<void> {
  const report = await finished(stack, importId);
  const byStatus = report.submissions.map(({ product_id, status }) => [product_id, status]);
  expect(Object.fromEntries(byStatus)).toEqual(
    Object.fromEntries(products.map((productId) => [productId, 'regulator_inserted'])),
  );
  const { casesOf, summariesOf } = importsOf(stack);
  expect(products.map((productId) => casesOf(productId).length)).toEqual(products.map(() => 1));
  await eventually(async () => (await summariesOf(importId)).length > 0);
  expect(await summariesOf(importId)).toHaveLength(1);
}

it('a worker, again and again while it inserts', async () => {
  const { behaviour } = stack.simulator.simulation;
  behaviour.latency_ms = 150;
  let worker = await process('worker');
  const { products, zip } = await newPackage();
  const { data } = (await upload(stack, zip, { email: 'person@company.example' })).body;
  for (const cases of [1, 4, 8]) {
    await eventually(
      async () => products.flatMap((productId) => importsOf(stack).casesOf(productId)).length >= cases,
    );
    await worker.kill();
    worker = await process('worker');
  }
  Object.assign(behaviour, GOOD_BEHAVIOUR);
  await expectWhole(data.id, products);
});

it('the gateway, while it waits for the answer: the import goes on, and the key gets the answer', async () => {
  const gateway = await process('gateway');
  const { products, zip } = await newPackage();
  const headers = { 'idempotency-key': 'killed-gateway' };
  const options = { email: 'person@company.example', headers };
  // Without a worker that extracts, the gateway waits.
  await seemServed(stack);
  const lost = upload({ ...stack, gatewayUrl: gateway.url }, zip, options).catch((error: unknown) => error);
  const [row] = await eventually(async () => {
    const rows = await stack.sql<{ id: number }>("select id from zip_import where status = 'extracting'");
    return rows.length > 0 ? rows : null;
  });
  await gateway.kill();
  expect(await lost).toBeInstanceOf(TypeError);
  await process('worker');
  const again = await upload(stack, zip, options);
  expect(again.status).toBe(200);
  expect(again.body.data.id).toBe(row?.id);
  expect(again.body.data.queue.queued_count).toBe(PRODUCTS);
  await expectWhole(again.body.data.id, products);
});
