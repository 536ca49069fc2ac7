/**
 * Separate workers read packages (decision §reading-apart), and workers tell that they run (decision
 * §somebody-processes). Uploads need those that read, and do not need those that insert. While none is free to read,
 * everything else continues. When there is one, clients are served in rotation, independent of package size.
 */
import type { WorkflowHandle } from '@temporalio/client';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { packageImportWorkflowId } from '../../src/domain/ids.ts';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { ignoreNotFound } from '../../src/temporal/connection.ts';
import { openOrm } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { packageOf, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { activitiesWaiting, deleteRun, reconcileNow, seemServed } from '../support/temporal.ts';
import { tokenOf } from '../support/tokens.ts';
import { call, dryRun, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const DRY_RUNS = 6;
/**
 * Two readings may precede the others: the first task of the worker, and the task that its next poll has
 * already fetched.
 */
const OTHERS_BEFORE = 2;
/** Reading takes several time slices. */
const PRODUCT_FILES = 750;
const SLICE_MS = 200;
const { packageImport, packageReading, regulatorInsert } = TASK_QUEUES;
/** Limit for noticing that a worker has gone: ten seconds, with time for a busy machine. */
const ABSENT_MS = 20_000;
const CHECK = `worker ${packageReading}`;

vi.setConfig({ testTimeout: 120_000 });

// A quota for as many dry runs of one client as this test needs.
const stack = await startStack({
  withoutWorkers: true,
  env: { CLIENT_UPLOADS_AT_ONCE: '0' },
});
await stack.startWorkers({ roles: [packageImport] });

const startReading = () =>
  stack.startWorkers({
    roles: [packageReading],
    readingConcurrency: 1,
    readingSliceMs: SLICE_MS,
    parser: { threads: 1, refusedChecks: [] },
  });

/** Processing checks by name; the gateway itself is ready all the time. */
async function processing(): Promise<Record<string, string>> {
  const response = await fetch(`${stack.healthUrl}/health/ready`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: { processing: Record<string, string> } }).data.processing;
}

const dryRunAs = async (clientId: string) =>
  (await dryRun(stack, await packageOf({}), { token: await tokenOf(stack, clientId) })).status;

/** IDs of the dry runs since a time. */
async function checks(since: Date): Promise<string[]> {
  const ids: string[] = [];
  const query = `WorkflowType = 'package-check' and StartTime > '${since.toISOString()}'`;
  for await (const run of stack.temporal.workflow.list({ query })) ids.push(run.workflowId);
  return ids;
}

/** The ended reading of an import or a dry run: start and end of its last attempt, in ns since the epoch. */
async function readingOf(workflowId: string): Promise<{ began: bigint; ended: bigint; attempts: number }> {
  const { events = [] } = await stack.temporal.workflow.getHandle(workflowId).fetchHistory();
  const started = events?.find((event) => event.activityTaskStartedEventAttributes);
  const completed = events?.find((event) => event.activityTaskCompletedEventAttributes);
  return {
    began: nanoseconds(started?.eventTime),
    ended: nanoseconds(completed?.eventTime),
    attempts: started?.activityTaskStartedEventAttributes?.attempt ?? 0,
  };
}

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type EventTime = NonNullable<History['events']>[number]['eventTime'];

function nanoseconds(time: EventTime): bigint {
  return BigInt(String(time?.seconds ?? 0)) * 1_000_000_000n + BigInt(time?.nanos ?? 0);
}

async function uploadAs(clientId: string, zip?: Uint8Array) {
  const token = await tokenOf(stack, clientId);
  return upload(stack, zip ?? (await packageOf({})), { token, email: 'person@company.example' });
}

/** The workflow of a client's only import, as soon as it exists. */
function importOf(clientId: string): Promise<string> {
  return eventually(async () => {
    const [row] = await stack.sql<{ uuid: string }>(
      `select uuid from zip_import where client_id = '${clientId}'`,
    );
    return row && packageImportWorkflowId(row.uuid);
  });
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

// The runbook's way to pause inserting with Temporal alone.
it('without a worker that inserts, uploads are answered, the gateway stays ready, and products continue later', async () => {
  await startReading();
  await eventually(async () => (await processing())[CHECK] === 'ok');
  const answer = await uploadAs('client-without-inserts');
  expect(answer.status).toBe(200);
  expect(answer.body.data.queue.queued_count).toBe(1);
  expect(await processing()).toEqual({
    storage: 'ok',
    temporal: 'ok',
    [`worker ${packageImport}`]: 'ok',
    [CHECK]: 'ok',
    [`worker ${regulatorInsert}`]: 'failed',
  });
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
  await startReading();
  const unlock = await lockProducts();
  const dryRuns = Array.from({ length: 3 }, () => dryRunAs('a-client'));
  // One is read, and waits for the lock.
  await eventually(async () => (await activitiesWaiting(stack, packageReading)) === 2);
  await renewedTwice();
  expect(await processing()).toMatchObject({ [CHECK]: 'ok' });
  const another = dryRunAs('a-client');
  await eventually(async () => (await activitiesWaiting(stack, packageReading)) === 3);
  await unlock();
  expect(await Promise.all([...dryRuns, another])).toEqual([200, 200, 200, 200]);
});

describe('without a worker that reads packages', () => {
  beforeAll(async () => {
    await stack.startWorkers({ roles: [regulatorInsert] });
  });

  it('uploads are refused with 503 and the missing worker, and accepted when it is back', async () => {
    // The worker of the last test has stopped. It is absent after some seconds.
    await eventually(async () => (await processing())[CHECK] === 'failed', ABSENT_MS);
    expect(await processing()).toMatchObject({ temporal: 'ok', [CHECK]: 'failed' });
    const before = await stack.count('zip_import');
    const refused = await uploadAs('early-client');
    expect(refused).toMatchObject({ status: 503, body: { data: { code: 'processing_unavailable' } } });
    expect(refused.headers.get('retry-after')).toBe('15');
    expect(await stack.count('zip_import')).toBe(before);
    await startReading();
    await eventually(async () => (await processing())[CHECK] === 'ok');
    expect((await uploadAs('early-client')).status).toBe(200);
  });

  it('inserts, records, mails and the reconciler continue; then clients take turns', async () => {
    const imports = stack.imports;
    const reading = await startReading();
    imports.takeRegulatorAway();
    const { importId, submissionId } = await imports.importOne();
    const lost = await imports.importOne();
    await eventually(
      async () => (await imports.submission(lost.submissionId)).status === 'regulator_inserting',
    );
    await reading.close();
    await seemServed(stack);

    const since = new Date();
    const dryRuns = Array.from({ length: DRY_RUNS }, () => dryRunAs('busy-client'));
    await eventually(async () => (await activitiesWaiting(stack, packageReading)) === DRY_RUNS);

    await deleteRun(stack, `regulator-insert-${lost.productId}`);
    await eventually(async () => {
      await reconcileNow(stack);
      return (await imports.submission(lost.submissionId)).status === 'regulator_insert_failed';
    });
    imports.restoreRegulator();
    await imports.reached(submissionId, 'regulator_inserted');
    await eventually(async () => (await imports.summariesOf(importId)).length === 1);
    expect(await activitiesWaiting(stack, packageReading)).toBe(DRY_RUNS);

    const answer = uploadAs('other-client');
    await eventually(async () => (await activitiesWaiting(stack, packageReading)) === DRY_RUNS + 1);
    await startReading();
    expect((await answer).status).toBe(200);
    expect(await Promise.all(dryRuns)).toEqual(Array(DRY_RUNS).fill(200));

    const { began } = await readingOf(await importOf('other-client'));
    const before = (await Promise.all((await checks(since)).map(readingOf))).filter(
      (check) => check.began < began,
    );
    // In order of arrival it would be last.
    expect(before.length).toBeLessThanOrEqual(OTHERS_BEFORE);
  });

  it('a large package of one client is interrupted for others, and continued', async () => {
    await startReading();
    const xml = productXml();
    const files = Array.from({ length: PRODUCT_FILES }, (_, index) => [productPath(`${index}`), xml]);
    const large = uploadAs('large-client', await zipOf(Object.fromEntries(files)));
    const largeImport = await importOf('large-client');
    await eventually(async () => {
      // The import is recorded before its workflow starts.
      const run = await stack.temporal.workflow.getHandle(largeImport).describe().catch(ignoreNotFound);
      return run?.raw.pendingActivities?.some((reading) => reading.lastWorkerIdentity);
    });
    expect((await uploadAs('small-client')).status).toBe(200);
    // Files after the first of the same product are skipped, but read.
    const { created_submissions, skipped_count } = (await large).body.data.zip_import;
    expect([created_submissions.length, skipped_count]).toEqual([1, PRODUCT_FILES - 1]);

    const reading = await readingOf(largeImport);
    const { began } = await readingOf(await importOf('small-client'));
    expect(began).toBeLessThan(reading.ended);
    expect(reading.attempts).toBeGreaterThan(1);
  });
});
