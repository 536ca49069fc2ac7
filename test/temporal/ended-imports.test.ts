/**
 * Imports whose run, or the run of a product, ends after the package was read: the reconciler continues, so they have
 * not failed.
 */
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, expect, it } from 'vitest';
import { ImportFailed } from '../../src/domain/client-errors.ts';
import { insertWorkflowId, packageImportWorkflowId } from '../../src/domain/ids.ts';
import { workerSetup } from '../../src/processes/workers/roles.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { createImportWorkflows } from '../../src/temporal/import-workflows.ts';
import { createImportWorker, createReadingWorker } from '../../src/temporal/workers.ts';
import { eventually, succeeds } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';

const [FAILS, WAITS, LOSES_ITS_PRODUCT] = [1, 2, 3];
const productId = newProductId();
const called: string[] = [];
const notFound = () => ApplicationFailure.nonRetryable('There is no such import.', 'NotFound');
const activities = {
  async planInserts({ importId }: { importId: number }) {
    if (importId === FAILS) throw notFound();
    if (importId === WAITS) throw new Error('The database is away.');
    return [{ submissionId: 1, productId }];
  },
  recordQueueResults: async () => {},
  finishQueuing: async () => ({ created: 1 }),
  async recordLostRun() {
    called.push('recordLostRun');
    throw notFound();
  },
  insertProgress: async () => ({ inserting: 0 }),
  completeImport: async () => ({ created: 1, webhooks: [] }),
  async failImport() {
    called.push('failImport');
    return { webhooks: [] };
  },
  async forgetPackage() {
    called.push('forgetPackage');
  },
  async summaryIsDue({ importId }: { importId: number }) {
    called.push(`summary of ${importId}`);
    return false;
  },
};

const stack = await startStack({ withoutWorkers: true });
const connection = await connectWorker(stack.config.temporal);
const setup = await workerSetup(stack.config, connection);
const reading = { extractPackage: async () => ({ created: 1, batches: 1 }) };
const workers = [
  await createImportWorker({ ...setup, activities }),
  await createReadingWorker({ ...setup, activities: reading }, { concurrency: 1 }),
];
const ends = workers.map((worker) => worker.run());
afterAll(async () => {
  for (const worker of workers) worker.shutdown();
  await Promise.all(ends);
  await connection.close();
});

const imports = createImportWorkflows(stack.temporal, { of: async () => ({}) } as never);

/** Starts an import. Returns its run, and the answer to its upload. */
function started(importId: number) {
  const importUuid = randomUUID();
  const answer = imports
    .process({ importId, importUuid, clientId: 'client' })
    .catch((error: unknown) => error);
  return { run: stack.temporal.workflow.getHandle(packageImportWorkflowId(importUuid)), answer };
}

it('a run that fails for good records no failure and sends no mail, and its answer is unknown', async () => {
  const { run, answer } = started(FAILS);
  expect(await answer).toBeInstanceOf(Error);
  expect(await answer).not.toBeInstanceOf(ImportFailed);
  expect((await run.describe()).status.name).toBe('FAILED');
  expect(called).toEqual([]);
});

it('the answer of a run that was terminated is unknown', async () => {
  const { run, answer } = started(WAITS);
  await eventually(() => succeeds(run.describe()));
  await eventually(async () =>
    (await run.fetchHistory()).events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes),
  );
  await run.terminate('on purpose');
  expect(await answer).toBeInstanceOf(Error);
  expect(await answer).not.toBeInstanceOf(ImportFailed);
});

it('a run ends although the lost run of a product cannot be recorded', async () => {
  const { run, answer } = started(LOSES_ITS_PRODUCT);
  expect(await answer).toEqual({ created: 1 });
  await stack.temporal.workflow.getHandle(insertWorkflowId(productId)).terminate('on purpose');
  await run.result();
  expect(called).toEqual(['recordLostRun', `summary of ${LOSES_ITS_PRODUCT}`]);
});
