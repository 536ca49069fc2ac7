/**
 * Workers tell that they run (decision §somebody-processes): a busy one is present, an ended one is soon absent. Uploads need
 * those that read, and do not need those that insert.
 */
import { expect, it, vi } from 'vitest';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { openOrm } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { packageOf } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { activitiesWaiting } from '../support/temporal.ts';
import { call, dryRun, finished, upload } from '../support/upload.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Limit for noticing that a worker has gone: ten seconds, with time for a busy machine. */
const ABSENT_MS = 20_000;
const { packageImport, packageReading, regulatorInsert } = TASK_QUEUES;
const CHECK = `worker ${packageReading}`;

const stack = await startStack({ withoutWorkers: true });
await stack.startWorkers({ roles: [packageImport] });
const startReading = () => stack.startWorkers({ roles: [packageReading], readingConcurrency: 1 });

async function processing(): Promise<Record<string, string>> {
  const response = await fetch(`${stack.healthUrl}/health/ready`);
  return ((await response.json()) as { data: { processing: Record<string, string> } }).data.processing;
}

const reading = async () => (await stack.database.workerHeartbeats.count())[packageReading];

const statusOfDryRun = async () => (await dryRun(stack, await packageOf({}))).status;

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

// The runbook's way to pause inserting with Temporal alone.
it('without a worker that inserts, uploads are answered, the gateway stays ready, and products continue later', async () => {
  await startReading();
  const answer = await upload(stack, await packageOf({}));
  expect(answer.status).toBe(200);
  expect(answer.body.data.queue.queued_count).toBe(1);

  const ready = await fetch(`${stack.healthUrl}/health/ready`);
  expect(ready.status).toBe(200);
  const checks = { database: 'ok', storage: 'ok' };
  const processing = {
    temporal: 'ok',
    [`worker ${packageImport}`]: 'ok',
    [CHECK]: 'ok',
    [`worker ${regulatorInsert}`]: 'failed',
  };
  expect(await ready.json()).toMatchObject({ data: { checks, processing } });

  const { id } = answer.body.data;
  const path = `/regulator/package-imports/${id}?view=summary`;
  expect(await call(stack, 'GET', path)).toMatchObject({
    status: 200,
    body: { data: { progress: { regulator_inserting: 1 } } },
  });
  await stack.startWorkers({ roles: [regulatorInsert] });
  const { submissions } = await finished(stack, id);
  expect(submissions.map(({ status }) => status)).toEqual(['regulator_inserted']);
});

it('a busy worker is present: uploads wait for it', async () => {
  const worker = await startReading();
  const unlock = await lockProducts();
  const dryRuns = [statusOfDryRun(), statusOfDryRun(), statusOfDryRun()];
  // One is read, and waits for the lock.
  await eventually(async () => (await activitiesWaiting(stack, packageReading)) === 2);
  await renewedTwice();
  expect(await processing()).toMatchObject({ [CHECK]: 'ok' });
  const another = statusOfDryRun();
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
