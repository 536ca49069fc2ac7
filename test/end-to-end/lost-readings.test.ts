/**
 * The service gives up a package whose reading crashes its process each time, with the reason (decision
 * §timeouts-and-retries). The test kills the reading worker at every attempt. The import of another client
 * succeeds meanwhile.
 */

import { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { packageImportWorkflowId } from '../../src/domain/ids.ts';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { workerSetup } from '../../src/processes/workers/roles.ts';
import { connectWorker, ignoreNotFound } from '../../src/temporal/connection.ts';
import { createReadingWorker } from '../../src/temporal/workers.ts';
import { atEnd } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { packageOf } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { seemServed } from '../support/temporal.ts';
import { tokenOf } from '../support/tokens.ts';
import { finished, upload } from '../support/upload.ts';

/** The limit of activities/reading/read-package.ts. */
const ATTEMPTS = 10;
/** Attempts that are skipped: one heartbeat reports so many lost attempts. */
const LOST_BEFORE = ATTEMPTS - 3;

const { packageImport, packageReading, regulatorInsert } = TASK_QUEUES;

const stack = await startStack({ withoutWorkers: true });
await stack.startProcess('worker', { WORKER_ROLES: `${packageImport},${regulatorInsert}` });

// The worker that the test starts by hand has no heartbeat.
await seemServed(stack);

const startReading = () => stack.startProcess('worker', { WORKER_ROLES: packageReading });

async function uploadAs(clientId: string) {
  return upload(stack, await packageOf({}), { token: await tokenOf(stack, clientId) });
}

async function importOf(clientId: string): Promise<{ id: number; workflowId: string }> {
  return eventually(async () => {
    const [row] = await stack.sql<{ id: number; uuid: string }>(
      `select id, uuid from zip_import where client_id = '${clientId}'`,
    );
    return row && { id: row.id, workflowId: packageImportWorkflowId(row.uuid) };
  });
}

/** Waits until an attempt with so many lost attempts before it reads alone, and has sent its heartbeat. */
async function atWork(workflowId: string, lostAlone: number): Promise<void> {
  await eventually(async () => {
    // The record of an import exists before its run.
    const run = await stack.temporal.workflow.getHandle(workflowId).describe().catch(ignoreNotFound);
    const [payload] = run?.raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
    const said = payload?.data ? JSON.parse(Buffer.from(payload.data).toString()) : {};
    return said.lostAlone === lostAlone && !said.isShared && !said.over;
  });
}

/** A worker whose only attempt runs until the worker closes, and whose heartbeat reports so many lost attempts. */
async function startStuckReading(lostAlone: number) {
  const connection = await connectWorker(stack.config.temporal);
  const stuck = Promise.withResolvers<never>();
  const setup = await workerSetup(stack.config, connection);
  const activities = {
    extractPackage: () => {
      Context.current().heartbeat({ lostAlone, lost: lostAlone });
      return stuck.promise;
    },
  };
  const worker = await createReadingWorker({ ...setup, activities }, { concurrency: 1 });
  const running = worker.run();
  atEnd(async () => {
    stuck.reject(new Error('closed'));
    worker.shutdown();
    await running;
    await connection.close();
  });
}

it('a package that always crashes its worker fails after ten attempts, and others are imported', {
  timeout: 240_000,
}, async () => {
  await startStuckReading(LOST_BEFORE);
  const hostile = uploadAs('hostile');
  const { id, workflowId } = await importOf('hostile');
  await atWork(workflowId, LOST_BEFORE);

  let reading = await startReading();
  const other = uploadAs('other');
  for (let lostAlone = LOST_BEFORE + 1; lostAlone < ATTEMPTS; lostAlone += 1) {
    await atWork(workflowId, lostAlone);
    await reading.kill();
    expect((await stack.database.imports.find(id))?.status).toBe('extracting');
    reading = await startReading();
  }

  const { status, body } = await hostile;
  expect(status).toBe(500);
  expect(body.message).toMatch(/^Reading the package has failed: the worker process crashed in 10 attempts/);
  expect(body.data).toMatchObject({ id });
  expect(await stack.database.imports.find(id)).toMatchObject({
    status: 'failed',
    failureReason: body.message,
  });
  expect((await other).status).toBe(200);
  const { submissions } = await finished(
    { ...stack, token: () => tokenOf(stack, 'other') },
    (await importOf('other')).id,
  );
  expect(submissions.map((submission) => submission.status)).toEqual(['regulator_inserted']);
});
