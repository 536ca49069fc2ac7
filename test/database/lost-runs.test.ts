/** Lost runs: what their imports record, also at a cancellation, and lost starts of messages to webhooks. */
import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createCancelInserts } from '../../activities/cancellation.ts';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createImportRecords } from '../../activities/import-records.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import { type ConflictingRun, queued } from '../../src/domain/queue.ts';
import { createdFile, newImport, newSubmission, openTestDatabase, reportOf } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';

const { database } = await openTestDatabase();

/** @param conflictingRun Temporal's state of the product's run */
function recordsWith(conflictingRun: (submissionId: number) => ConflictingRun) {
  return createImportRecords({
    database,
    findConflictingRuns: async (inserts: { submissionId: number }[]) =>
      inserts.map(({ submissionId }) => conflictingRun(submissionId)),
  } as unknown as ImportDependencies);
}

const run = <T>(work: () => Promise<T>) => new MockActivityEnvironment().run(work);

describe('an insert that an operator has ended', () => {
  const lost = async (conflictingRun: (submissionId: number) => ConflictingRun) => {
    const productId = newProductId();
    const { id: submissionId } = await newSubmission(database, productId);
    const runId = randomUUID();
    await database.insertRuns.begin(submissionId, runId, 'test');
    const records = recordsWith(conflictingRun);
    await run(() => records.recordLostRun({ submissionId, productId, runId, reason: 'ended' }));
    return (await database.submissions.find(submissionId))?.submission;
  };

  it('has failed', async () => {
    expect(await lost((submissionId) => ({ submissionId, kind: 'closed' }))).toMatchObject({
      status: 'regulator_insert_failed',
      failureReason: [plainReason('ended')],
    });
  });

  it('continues after a reset: the new run is expected', async () => {
    const following = randomUUID();
    const own = { kind: 'own', runId: following, jobState: 'waiting' } as const;
    expect(await lost((submissionId) => ({ submissionId, ...own }))).toMatchObject({
      status: 'regulator_inserting',
      jobId: following,
    });
  });

  it('has failed when another submission of the product runs', async () => {
    const other = { kind: 'other', runId: randomUUID(), jobState: 'active' } as const;
    expect((await lost((submissionId) => ({ submissionId, ...other })))?.status).toBe(
      'regulator_insert_failed',
    );
  });
});

it('of a lost batch counts as queued when it has started, else it gets the reason', async () => {
  const importId = await newImport(database);
  await database.reading.record(
    importId,
    null,
    [0, 1, 2].map((n) => createdFile(newProductId(), n)),
  );
  const { submissions } = await reportOf(database, importId);
  const [begun = 0, answered = 0, left = 0] = submissions.map(({ id }) => id);
  const [runId, otherRun] = [randomUUID(), randomUUID()];
  await database.insertRuns.begin(begun, runId, 'test');
  await database.queue.recordResults(importId, [queued(answered, otherRun)], 'test');
  const records = recordsWith((submissionId) => ({ submissionId, kind: 'closed' }));
  const reason = 'Batch 1 ended 6 times.';
  await run(() => records.giveUpBatch({ importId, batch: 1, reason }));
  await run(() => records.giveUpBatch({ importId, batch: 1, reason: 'another time' }));
  const after = await reportOf(database, importId);
  const results = new Map(
    after.submissions.map(({ id, queueResult }) => [
      id,
      queueResult && { status: queueResult.status, jobId: queueResult.jobId, message: queueResult.message },
    ]),
  );
  expect(results.get(begun)).toMatchObject({ status: 202, jobId: runId });
  expect(results.get(answered)).toMatchObject({ status: 202, jobId: otherRun });
  expect(results.get(left)).toEqual({
    status: 503,
    jobId: null,
    message: 'The regulator-insert task could not be started: batch 1 ended 6 times.',
  });
  expect(await database.queue.progress(importId)).toMatchObject({ unqueued: 0, local: 1 });
});

it('of a cancelled import counts as queued when it has begun, else as not started', async () => {
  const importId = await newImport(database);
  const files = [0, 1].map((n) => createdFile(newProductId(), n));
  await database.reading.record(importId, null, files);
  const { submissions } = await reportOf(database, importId);
  const [begun = 0, left = 0] = submissions.map(({ id }) => id);
  const runId = randomUUID();
  // The run that started it was terminated before it recorded the queue result.
  await database.insertRuns.begin(begun, runId, 'test');
  await database.insertRuns.fail(begun, runId, [plainReason('rejected')], 'test');
  await database.imports.requestCancel(importId, 'client:a');
  const dependencies = {
    database,
    importWorkflows: { cancelBatches: async () => 0 },
    webhooks: { rules: { hosts: [] } },
  } as unknown as ImportDependencies;
  await run(() => createCancelInserts(dependencies)({ importId, importUuid: randomUUID() }));
  await run(() => createImportRecords(dependencies).completeImport({ importId, cancelled: true }));
  const after = (await reportOf(database, importId)).submissions;
  const results = after.map(({ id, queueResult }) => [id, queueResult?.status, queueResult?.message]);
  const reason = 'The regulator-insert task could not be started: the import was cancelled by client:a.';
  expect(results).toEqual([
    [begun, 202, 'Task regulator-insert queued'],
    [left, 503, reason],
  ]);
});

it('a message to a webhook whose start was lost is found, however many older ones wait for a slow receiver', async () => {
  const to = { tenant: 'client', clientId: 'client', url: 'https://receiver.example' };
  const payload = { type: 'inserting.paused', timestamp: 'now', data: {} } as const;
  const planned: number[] = [];
  for (let n = 0; n < 3; n += 1)
    planned.push((await database.webhookDeliveries.planTest(to, payload, 'client:client')).id);
  const found = await database.webhookDeliveries.untried(2);
  expect(found.map(({ id }) => id)).toEqual([planned[2], planned[1]]);
});
