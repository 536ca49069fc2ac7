/** Workers tell that they run (decision §somebody-processes): a busy one is present, an ended one is soon absent. */
import { expect, it, vi } from 'vitest';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { openOrm } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { activitiesWaiting } from '../support/temporal.ts';
import { call } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Limit for noticing that a worker has gone: ten seconds, with time for a busy machine. */
const ABSENT_MS = 20_000;
const { packageImport, packageReading } = TASK_QUEUES;
const CHECK = `worker ${packageReading}`;

const stack = await startStack({ withoutWorkers: true });
await stack.startProcess('worker', { WORKER_ROLES: packageImport });
const startReading = () => stack.startWorkers({ roles: [packageReading], readingConcurrency: 1 });

async function processing(): Promise<Record<string, string>> {
  const response = await fetch(`${stack.healthUrl}/health/ready`);
  return ((await response.json()) as { data: { processing: Record<string, string> } }).data.processing;
}

const reading = async () => (await stack.database.workerHeartbeats.count())[packageReading];

async function dryRun(): Promise<number> {
  const form = new FormData();
  const zip = await zipOf({ [productPath('a')]: productXml({ productId: newProductId() }) });
  form.set('file', new Blob([zip.slice()], { type: 'application/zip' }), 'package.zip');
  return (await call(stack, 'POST', '/regulator/package-import?dry_run=true', { body: form })).status;
}

/** Makes every reading wait for a lock in the database. Returns the function that ends it. */
async function lockProducts(): Promise<() => Promise<void>> {
  const em = (await openOrm(stack.config.database.url)).em.fork();
  await em.begin();
  await em.execute('lock table submission');
  return () => em.commit();
}

/** Waits until a reading worker has renewed its heartbeat twice. */
async function renewedTwice(): Promise<void> {
  const [{ now } = { now: '' }] = await stack.sql<{ now: string }>('select clock_timestamp()::text as now');
  await eventually(async () => {
    const [renewed] = await stack.sql(`
      select 1 from worker_heartbeat where role = '${packageReading}'
         and seen_at > '${now}'::timestamptz + interval '3 seconds'`);
    return renewed;
  });
}

it('a busy worker is present: uploads wait for it', async () => {
  const worker = await startReading();
  const unlock = await lockProducts();
  const dryRuns = [dryRun(), dryRun(), dryRun()];
  // One is read, and waits for the lock.
  await eventually(async () => (await activitiesWaiting(stack, packageReading)) === 2);
  await renewedTwice();
  expect(await processing()).toMatchObject({ [CHECK]: 'ok' });
  const another = dryRun();
  await eventually(async () => (await activitiesWaiting(stack, packageReading)) === 3);
  await unlock();
  expect(await Promise.all([...dryRuns, another])).toEqual([200, 200, 200, 200]);
  await worker.close();
});

it('a worker that was stopped or killed is absent after some seconds', async () => {
  const stopped = await startReading();
  const killed = await stack.startProcess('worker', { WORKER_ROLES: packageReading });
  await eventually(async () => (await reading()) >= 2);
  await Promise.all([stopped.close(), killed.kill()]);
  await eventually(async () => (await processing())[CHECK] === 'failed', ABSENT_MS);
  expect(await reading()).toBe(0);
});
