/**
 * The service as `npm start` runs it. The test kills its processes during an import, one after the other and
 * then all at once. Nothing is lost, no product gets a second case, and one mail is sent.
 */
import { expect, it } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import type { StartedImport } from '../support/npm-start-client.ts';
import { npmStart } from '../support/starters/stack.ts';

const PRODUCTS = 12;
/** Long enough that every kill comes in the middle. */
const LATENCY_MS = 200;

const [healthPort = 0] = await freePorts(1);
const service = await npmStart({ LOG_LEVEL: 'silent', HEALTH_PORT: String(healthPort) });
const { client } = service;

async function startImport(seed: number): Promise<StartedImport> {
  const started = await client.startImport(seed, PRODUCTS, LATENCY_MS);
  expect(started.products).toHaveLength(PRODUCTS);
  return started;
}

async function expectWhole({ importId, products }: StartedImport): Promise<void> {
  const { submissions } = await client.follow(importId);
  expect(submissions.map(({ status }) => status)).toEqual(products.map(() => 'regulator_inserted'));
  expect((await client.casesOf(products)).toSorted()).toEqual(products.toSorted());
  expect(await client.summariesOf(importId)).toHaveLength(1);
}

it('gateway and worker serve health and metrics on ports next to each other', async () => {
  for (const [port, metric] of [
    [healthPort, 'package_import_http_errors_total'],
    [healthPort + 1, 'package_import_mails_total'],
  ] as const) {
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain(metric);
  }
});

it('each process in turn', async () => {
  const started = await startImport(1);
  for (const [index, part] of (['postgres', 'worker', 'temporal', 'gateway'] as const).entries()) {
    await started.casesOpened(1 + index * 2);
    await service.kill(part);
  }
  await expectWhole(started);
});

it('all processes; the next start continues', async () => {
  const started = await startImport(2);
  await started.casesOpened(PRODUCTS / 2);
  await service.killAll();
  await service.startAgain();
  await expectWhole(started);
});
