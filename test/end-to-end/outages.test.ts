/**
 * The service as `npm start` runs it. The test kills its processes during an import, one after the other and
 * then all at once. Nothing is lost, no product gets a second case, and one mail is sent.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { newServiceSettings, type ServiceSettings } from '../support/services/npm-start.ts';
import { clientOf, type StartedImport } from '../support/services/npm-start-client.ts';
import { type NpmStartProcess, startNpmStartProcess } from '../support/services/npm-start-process.ts';

const PRODUCTS = 12;
/** Long enough that every kill comes in the middle. */
const LATENCY_MS = 200;

let settings: ServiceSettings;
let service: NpmStartProcess;
let client: ReturnType<typeof clientOf>;
beforeAll(async () => {
  settings = await newServiceSettings({ LOG_LEVEL: 'silent' });
  service = await startNpmStartProcess(settings.env);
  client = clientOf(loadConfig(settings.env), settings.directory);
});
afterAll(async () => {
  await service?.stop();
  await settings?.remove();
});

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

it('each process in turn', async () => {
  const started = await startImport(1);
  for (const [index, part] of (['postgres', 'worker', 'temporal', 'gateway'] as const).entries()) {
    await started.casesOpened(1 + index * 2);
    await service.kill(part);
  }
  await expectWhole(started);
});

it('all of them; the next start goes on', async () => {
  const started = await startImport(2);
  await started.casesOpened(PRODUCTS / 2);
  await service.killAll();
  service = await startNpmStartProcess(settings.env);
  await expectWhole(started);
});
