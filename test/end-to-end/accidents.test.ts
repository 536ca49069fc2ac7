/**
 * Operations on runs, on purpose and by accident: resets to any point, terminations, cancellations,
 * deletions. In each case every submission ends in the right state, with one case at the regulator and one
 * summary e-mail (decision §resets-are-normal).
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import type { ImportRetry } from '../../src/contract/types.ts';
import { lock } from '../../src/database/status-moves.ts';
import { insertWorkflowId, packageImportWorkflowId } from '../../src/domain/ids.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, packageOf, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { deleteRun, reconcileNow, resetPoints, resetRun } from '../support/temporal.ts';
import { inTransaction, somebodyWaitsForALock, whileNoInsertBegins } from '../support/transactions.ts';
import { call, finished, report } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack();
const { imports } = stack;

/** Number of times that an import began to wait for its next read of the database. */
async function looksOf(importUuid: string): Promise<number> {
  const { events } = await imports.parent(importUuid).fetchHistory();
  return (events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer).length;
}

/** An import whose package is stored, and whose workflow was never started. */
async function storedImport(zip: Buffer, notificationEmail: string | null = null): Promise<number> {
  const storage = createLocalStorage(new URL(stack.config.archive.url).pathname);
  const storageKey = `packages/${randomUUID()}.zip`;
  const { id } = await stack.database.imports.create({
    ...(await storage.put(storageKey, Readable.from([zip]))),
    uuid: randomUUID(),
    clientId: 'demo-client',
    tenant: 'demo-client',
    comment: null,
    fileName: 'package.zip',
    storageKey,
    zipFilePath: storage.locate(storageKey),
    uploadedAt: new Date(),
    notificationEmail,
  });
  return id;
}

describe('resetting a run', () => {
  it('that failed, to any of its tasks: it continues in the same case without a second summary', async () => {
    const productId = newProductId();
    imports.reject(productId);
    const { importId, submissionId } = await imports.importOne({ productId });
    await finished(stack, importId);
    const failedRun = (await imports.submission(submissionId)).job_id ?? '';
    for (const eventId of await resetPoints(stack, insertWorkflowId(productId), failedRun)) {
      await resetRun(stack, insertWorkflowId(productId), { runId: failedRun, eventId });
      await eventually(async () => (await imports.insert(productId).describe()).status.name !== 'RUNNING');
      expect(['regulator_insert_failed', 'regulator_inserted']).toContain(
        (await imports.submission(submissionId)).status,
      );
    }
    imports.restoreRegulator();
    const runId = await resetRun(stack, insertWorkflowId(productId));
    expect(await imports.reached(submissionId, 'regulator_inserted')).toMatchObject({ job_id: runId });
    expect(imports.casesOf(productId)).toHaveLength(1);
    expect(imports.casesOf(productId)[0]?.steps.init_validate?.accepted).toBe(1);
    expect(await imports.summariesOf(importId)).toHaveLength(1);
  });

  it('that succeeded, to any of its tasks: nothing changes', async () => {
    const { productId, importId, submissionId } = await imports.importOne();
    await finished(stack, importId);
    const before = await imports.submission(submissionId);
    const run = before.job_id ?? '';
    for (const eventId of await resetPoints(stack, insertWorkflowId(productId), run)) {
      await resetRun(stack, insertWorkflowId(productId), { runId: run, eventId });
      await eventually(async () => (await imports.insert(productId).describe()).status.name === 'COMPLETED');
    }
    expect(await imports.submission(submissionId)).toEqual(before);
    const [onlyCase, ...others] = imports.casesOf(productId);
    expect(others).toEqual([]);
    expect(Object.values(onlyCase?.steps ?? {}).map(({ accepted }) => accepted)).toEqual([1, 1, 1, 1, 1]);
    expect(await imports.summariesOf(importId)).toHaveLength(1);
  });

  it('that is running: the new run takes over, and its import waits for it, however late it starts', async () => {
    imports.takeRegulatorAway();
    const { productId, importId, importUuid, submissionId } = await imports.importOne();
    const firstRun = (await imports.reached(submissionId, 'regulator_inserting')).job_id ?? '';
    const runId = await inTransaction(stack, async (em) => {
      await lock(em, submissionId);
      const reset = await resetRun(stack, insertWorkflowId(productId), { runId: firstRun });
      const looks = await looksOf(importUuid);
      await eventually(async () => (await looksOf(importUuid)) > looks);
      return reset;
    });
    expect((await report(stack, importId)).status).toBe('inserting');
    imports.restoreRegulator();
    const { submissions } = await finished(stack, importId);
    expect(submissions[0]).toMatchObject({ status: 'regulator_inserted', job_id: runId });
    expect(imports.casesOf(productId)).toHaveLength(1);
    expect(await imports.summariesOf(importId)).toHaveLength(1);
  });

  it('that failed, by a retry while others run: its import waits for it', async () => {
    const [again, other] = [newProductId(), newProductId()];
    imports.takeRegulatorAway();
    const { id, submissions } = await imports.importProducts([{ productId: again }, { productId: other }]);
    const uuid = (await stack.database.imports.find(id))?.uuid ?? '';
    const submissionId = submissions.find((one) => one.product_id === again)?.id ?? 0;
    await imports.insert(again).cancel();
    await imports.reached(submissionId, 'regulator_insert_failed');
    expect((await imports.run(submissionId)).status).toBe(202);
    await imports.insert(other).terminate('the last child that the import waits for');
    const looks = await looksOf(uuid);
    await eventually(async () => (await looksOf(uuid)) > looks);
    expect((await report(stack, id)).status).toBe('inserting');
    imports.restoreRegulator();
    const state = await finished(stack, id);
    expect(state.submissions.find((one) => one.product_id === again)?.status).toBe('regulator_inserted');
    expect(await imports.summariesOf(id)).toHaveLength(1);
  });

  it('of an old submission while a newer one runs: the old run does nothing, and the newer one can be retried', async () => {
    const productId = newProductId();
    imports.reject(productId);
    const old = await imports.importOne({ productId });
    await finished(stack, old.importId);
    const oldRun = (await imports.submission(old.submissionId)).job_id ?? '';
    imports.takeRegulatorAway();
    const recent = await imports.importOne({ productId, brand: 'New' });
    await resetRun(stack, insertWorkflowId(productId), { runId: oldRun });
    await eventually(async () => (await imports.insert(productId).describe()).status.name === 'COMPLETED');
    await eventually(async () => {
      await reconcileNow(stack);
      return (await imports.submission(recent.submissionId)).status === 'regulator_insert_failed';
    });
    imports.restoreRegulator();
    expect(await imports.submission(recent.submissionId)).toMatchObject({
      failure_reason: expect.stringMatching(/without a result/),
      actions: ['regulator-insert'],
    });
    expect(await imports.submission(old.submissionId)).toMatchObject({
      status: 'regulator_insert_failed',
      actions: [],
    });
    const refused = await imports.run(old.submissionId);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining('newer submission'),
    ]);
    await finished(stack, recent.importId);
    expect((await imports.run(recent.submissionId)).status).toBe(202);
    await imports.reached(recent.submissionId, 'regulator_inserted');
    const complete = imports.casesOf(productId).filter(({ steps }) => steps.ingredients);
    expect(complete).toHaveLength(1);
  });

  it('of an old submission, which ends a newer one before its start: later calls of the dead run are refused', async () => {
    const productId = newProductId();
    imports.reject(productId);
    const old = await imports.importOne({ productId });
    await finished(stack, old.importId);
    const oldRun = (await imports.submission(old.submissionId)).job_id ?? '';
    const recent = await whileNoInsertBegins(stack, async () => {
      const newer = await imports.importOne({ productId, brand: 'New' });
      await somebodyWaitsForALock(stack);
      await resetRun(stack, insertWorkflowId(productId), { runId: oldRun });
      await eventually(async () => {
        await reconcileNow(stack);
        return (await imports.submission(newer.submissionId)).status === 'regulator_insert_failed';
      });
      imports.restoreRegulator();
      return newer;
    });
    await finished(stack, recent.importId);
    expect(await imports.submission(recent.submissionId)).toMatchObject({
      status: 'regulator_insert_failed',
      failure_reason: expect.stringMatching(/without a result/),
    });
    expect((await imports.run(recent.submissionId)).status).toBe(202);
    await imports.reached(recent.submissionId, 'regulator_inserted');
  });
});

describe('ending a run', () => {
  it('by deletion while it runs: the reconciler repairs it within a minute and keeps the reason', async () => {
    imports.takeRegulatorAway();
    const { productId, importId, submissionId } = await imports.importOne();
    await deleteRun(stack, insertWorkflowId(productId));
    await eventually(async () => {
      await reconcileNow(stack);
      return (await imports.submission(submissionId)).status === 'regulator_insert_failed';
    });
    imports.restoreRegulator();
    await finished(stack, importId);
    expect(await imports.summariesOf(importId)).toHaveLength(1);
  });

  it('by deletion after its end: nothing changes', async () => {
    const { productId, importId, submissionId } = await imports.importOne();
    await finished(stack, importId);
    const before = await imports.submission(submissionId);
    await deleteRun(stack, insertWorkflowId(productId), before.job_id ?? '');
    await reconcileNow(stack);
    expect(await imports.submission(submissionId)).toEqual(before);
  });
});

describe('ending an import', () => {
  it('by termination: its inserts continue, the reconciler restarts it, and one summary is sent', async () => {
    imports.takeRegulatorAway();
    const { productId, importId, importUuid } = await imports.importOne();
    await imports.parent(importUuid).terminate('by accident');
    await reconcileNow(stack);
    await eventually(async () => (await imports.parent(importUuid).describe()).status.name === 'RUNNING');
    imports.restoreRegulator();
    const state = await finished(stack, importId);
    expect(state.submissions[0]?.status).toBe('regulator_inserted');
    expect(imports.casesOf(productId)).toHaveLength(1);
    expect(await imports.summariesOf(importId)).toHaveLength(1);
  });
});

describe('resetting an import', () => {
  it('while its inserts run: they are adopted, and one summary is sent', async () => {
    imports.takeRegulatorAway();
    const { productId, importId, importUuid } = await imports.importOne();
    for (const eventId of await resetPoints(stack, packageImportWorkflowId(importUuid))) {
      await resetRun(stack, packageImportWorkflowId(importUuid), { eventId }).catch(() => {});
    }
    imports.restoreRegulator();
    const state = await finished(stack, importId);
    expect(state.submissions[0]?.status).toBe('regulator_inserted');
    expect(imports.casesOf(productId)).toHaveLength(1);
    expect(await imports.summariesOf(importId)).toHaveLength(1);
  });

  it('after its end: failed products are retried, inserted ones stay, without a second summary', async () => {
    const [good, bad] = [newProductId(), newProductId()];
    imports.reject(bad);
    const { id } = await imports.importProducts([{ productId: good }, { productId: bad }]);
    const record = await stack.database.imports.find(id);
    await finished(stack, id);
    imports.restoreRegulator();
    await resetRun(stack, packageImportWorkflowId(record?.uuid ?? ''));
    await eventually(async () =>
      (await report(stack, id)).submissions.every(({ status }) => status === 'regulator_inserted'),
    );
    await eventually(
      async () => (await imports.parent(record?.uuid ?? '').describe()).status.name === 'COMPLETED',
    );
    expect(imports.casesOf(good)[0]?.opened).toBe(1);
    expect(imports.casesOf(bad)).toHaveLength(1);
    expect(await imports.summariesOf(id)).toHaveLength(1);
  });
});

describe('a worker that crashed', () => {
  it('while it read a package: the second occurrence of a product is still skipped', async () => {
    const productId = newProductId();
    const [first, second] = [productPath('a'), productPath('b')];
    const importId = await storedImport(
      await zipOf({
        [first]: productXml({ productId }),
        [second]: productXml({ productId, brand: 'Another' }),
      }),
    );
    await stack.database.reading.record(importId, null, [
      {
        outcome: 'skipped',
        entryIndex: 0,
        entryPath: first,
        xmlFile: 'a.xml',
        productId,
        reasons: [plainReason('The product is unchanged since it was inserted.')],
      },
    ]);
    await reconcileNow(stack);
    const state = await finished(stack, importId);
    expect(state.submissions).toEqual([]);
    expect(state.zip_import.skipped.map(({ reason }) => reason)).toEqual([
      `${productId}: The product is unchanged since it was inserted.`,
      expect.stringContaining('occurs more than once'),
    ]);
    expect(imports.casesOf(productId)).toEqual([]);
  });
});

describe('a gateway that crashed', () => {
  it('between storing a package and starting its workflow: the reconciler starts it', async () => {
    const productId = newProductId();
    const importId = await storedImport(await packageOf({ productId }), 'person@company.example');
    await reconcileNow(stack);
    const state = await finished(stack, importId);
    expect(state.submissions[0]?.status).toBe('regulator_inserted');
    expect(await imports.summariesOf(importId)).toHaveLength(1);
  });
});

interface EndingInsert {
  productId: string;
  importId: number;
  submissionId: number;
  run: WorkflowHandleWithFirstExecutionRunId;
}

/**
 * An insert whose end is recorded while its run is still open. A client that acts on it in that moment is not refused
 * (decision §one-insert-per-product). No worker serves the run: only the test ends it.
 */
async function endingInsert(end: 'inserted' | 'failed'): Promise<EndingInsert> {
  const productId = newProductId();
  if (end === 'failed') imports.reject(productId);
  const { importId, submissionId } = await imports.importOne({ productId });
  await finished(stack, importId);
  imports.restoreRegulator();
  await imports
    .insert(productId)
    .result()
    .catch(() => {});
  const run = await stack.temporal.workflow.start(WORKFLOW_TYPES.regulatorInsert, {
    workflowId: insertWorkflowId(productId),
    taskQueue: 'served-by-nobody',
    args: [{ submissionId }],
    memo: { submissionId },
  });
  await stack.sql(`update submission set job_id = '${run.firstExecutionRunId}' where id = ${submissionId}`);
  return { productId, importId, submissionId, run };
}

/** The answer to a request that meets the open run. It comes only after the run has closed. */
async function answerAtClose<A>({ run }: EndingInsert, request: () => Promise<A>): Promise<A> {
  const answer = request();
  expect(await Promise.race([answer, pause(500, 'no answer yet')])).toBe('no answer yet');
  await run.terminate('the end of the test run');
  return answer;
}

const retry = ({ importId }: EndingInsert) =>
  call<ImportRetry>(stack, 'POST', `/regulator/package-imports/${importId}/actions/regulator-insert`);

describe('an insert that is shown as failed while its run closes', () => {
  it('can be retried', async () => {
    const insert = await endingInsert('failed');
    const { status } = await answerAtClose(insert, () => imports.run(insert.submissionId));
    expect(status).toBe(202);
    await imports.reached(insert.submissionId, 'regulator_inserted');
  });

  it('can be retried with the rest of its import', async () => {
    const insert = await endingInsert('failed');
    const { body } = await answerAtClose(insert, () => retry(insert));
    expect(body.data).toMatchObject({ queued_count: 1, failed_count: 0, pending_count: 0 });
    await imports.reached(insert.submissionId, 'regulator_inserted');
  });
});

describe('a product that is uploaded again', () => {
  it('is queued while its run closes as inserted', async () => {
    const insert = await endingInsert('inserted');
    const { productId } = insert;
    const result = await answerAtClose(insert, () =>
      imports.importProducts([{ productId, brand: 'Changed' }]),
    );
    expect(result.queue).toMatchObject({ queued_count: 1, failed_count: 0 });
    await imports.reached(result.submissions[0]?.id ?? 0, 'regulator_inserted');
  });
});
