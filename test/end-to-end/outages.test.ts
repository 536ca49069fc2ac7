/**
 * The service as `npm start` runs it. Its processes are killed in the middle of an import, one after the other
 * and then all at once: nothing is lost, no product gets a second case, and one mail goes out.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../src/client/api-client.ts';
import { followImport } from '../../src/client/follow-import.ts';
import { packageImportsOf } from '../../src/client/package-imports.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { DEMO_CLIENT } from '../../src/local/identity-service/identity-service.ts';
import { openMailStore } from '../../src/local/mailbox/mail-store.ts';
import { generatePackage } from '../../tools/package-generator/index.ts';
import { eventually } from '../support/eventually.ts';
import { newServiceSettings, type ServiceSettings } from '../support/services/npm-start.ts';
import { type NpmStartProcess, startNpmStartProcess } from '../support/services/npm-start-process.ts';

const PRODUCTS = 12;
/** Long enough that every kill comes in the middle. */
const LATENCY_MS = 200;

let settings: ServiceSettings;
let config: Config;
let service: NpmStartProcess;
let client: ApiClient;
beforeAll(async () => {
  settings = await newServiceSettings({ LOG_LEVEL: 'silent' });
  config = loadConfig(settings.env);
  service = await startNpmStartProcess(settings.env);
  const { gateway, auth } = config;
  client = createApiClient({
    gatewayUrl: `http://${gateway.host}:${gateway.port}`,
    tokenUrl: `${auth.issuer}/oauth2/token`,
    ...DEMO_CLIENT,
  });
});
afterAll(async () => {
  await service?.stop();
  await settings?.remove();
});

async function control<T>(path: string, change?: object): Promise<T> {
  const response = await fetch(`${config.regulator.url}/control/${path}`, {
    ...(change && { method: 'PUT', body: JSON.stringify(change) }),
    headers: { 'content-type': 'application/json' },
  });
  return (await response.json()) as T;
}

/** Products of the import that have a case, once for each case. */
async function casesOf(products: readonly string[]): Promise<string[]> {
  const cases = await control<{ product_id: string }[]>('cases');
  return cases.map((one) => one.product_id).filter((productId) => products.includes(productId));
}

/** Uploads a package of its own; the regulator takes its time with it. */
async function startImport(seed: number) {
  await control('behaviour', { latency_ms: LATENCY_MS });
  const path = join(settings.directory, `${seed}.zip`);
  const { bytes } = await generatePackage({ seed, firstNumber: seed * 1_000, products: PRODUCTS }).writeTo(
    path,
  );
  const { data } = await packageImportsOf(client).upload({
    ...{ path, sizeBytes: bytes, fileName: 'package.zip' },
    email: 'person@company.example',
  });
  const products = data.submissions.map(({ product_id }) => product_id);
  expect(data.queue.queued_count).toBe(PRODUCTS);
  return {
    importId: data.id,
    products,
    casesOpened: (count: number) => eventually(async () => (await casesOf(products)).length >= count),
  };
}

async function expectWhole({ importId, products }: { importId: number; products: string[] }): Promise<void> {
  const { submissions } = await followImport(client, importId);
  expect(submissions.map(({ status }) => status)).toEqual(products.map(() => 'regulator_inserted'));
  expect((await casesOf(products)).toSorted()).toEqual(products.toSorted());
  const mails = await (await openMailStore(join(config.dataDir, 'mailbox'))).list();
  expect(mails.filter(({ subject }) => subject.startsWith(`Package import ${importId}:`))).toHaveLength(1);
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
