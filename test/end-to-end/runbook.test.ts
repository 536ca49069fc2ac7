/**
 * Executes every command of `deploy/runbook.md` with both tools against a live server. Each has the described
 * effect on the database, opens no second case at the regulator and sends no second summary.
 */
import { describe, expect, it } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { findTemporalBinary } from '../../src/trial-parts/servers/temporal-binary.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { createOperator, readRunbook } from '../support/runbook.ts';
import { startStack } from '../support/starters/stack.ts';
import { findTctl } from '../support/tctl.ts';
import { finished, report } from '../support/upload.ts';

const [FIRST_STEP] = INSERT_STEPS;
const blocks = await readRunbook();
const temporalBinary = await findTemporalBinary(CACHE_DIRECTORY, () => {});
const tctl = await findTctl();

const stack = await startStack();
const { imports } = stack;
const operator = await createOperator(stack, blocks, {
  temporal: temporalBinary,
  tctl: tctl.found ?? 'tctl',
});

const TOOLS = [
  { tool: 'temporal', title: 'temporal', missing: false },
  {
    tool: 'tctl',
    title: tctl.found === null ? `tctl (${tctl.reason})` : 'tctl',
    missing: tctl.found === null,
  },
];

describe.each(TOOLS)('with $title', ({ tool, missing }) => {
  it.skipIf(missing)(
    'finds failed inserts, shows a reason, retries one, starts one anew, retries the rest',
    async () => {
      const [good, bad, lost, worse] = [newProductId(), newProductId(), newProductId(), newProductId()];
      imports.reject([bad, lost, worse]);
      const { id: importId, submissions } = await imports.importProducts(
        [good, bad, lost, worse].map((productId) => ({ productId })),
      );
      const idOf = (productId: string) =>
        submissions.find(({ product_id }) => product_id === productId)?.id ?? 0;
      await finished(stack, importId);
      const failed = { IMPORT_ID: importId, PRODUCT_ID: bad };
      await eventually(async () =>
        (await operator.run(`list-failed.${tool}`, failed)).includes(`regulator-insert-${bad}`),
      );
      expect(flat(await operator.run(`look.${tool}`, failed))).toContain('design: Rejected on request');
      // This one fails twice.
      await operator.run(`retry-one.${tool}`, { PRODUCT_ID: worse });
      await listed(`WorkflowId = 'regulator-insert-${worse}' and ExecutionStatus = 'Failed'`, 2);

      imports.restoreRegulator();
      await operator.run(`retry-one.${tool}`, failed);
      await imports.reached(idOf(bad), 'regulator_inserted');
      // As after the deletion of its run.
      await operator.run(`start-anew.${tool}`, {
        IMPORT_ID: importId,
        SUBMISSION_ID: idOf(lost),
        PRODUCT_ID: lost,
      });
      await imports.reached(idOf(lost), 'regulator_inserted');
      const { memo, searchAttributes } = await imports.insert(lost).describe();
      // tctl sends it only as text, which the service would not understand.
      expect(memo ?? {}).toEqual(tool === 'tctl' ? {} : { submissionId: idOf(lost) });
      expect(searchAttributes).toMatchObject({
        PackageImportId: [importId],
        SubmissionId: [idOf(lost)],
        ProductId: [lost],
      });
      await operator.run(`retry-import.${tool}`, { IMPORT_ID: importId });
      await imports.reached(idOf(worse), 'regulator_inserted');
      await expectOneCaseAndOneSummary(importId, good, bad, lost, worse);
    },
  );

  it.skipIf(missing)('cancels an import', async () => {
    imports.takeRegulatorAway();
    const products = [newProductId(), newProductId(), newProductId()];
    const { id: importId } = await imports.importProducts(products.map((productId) => ({ productId })));
    await listed(`WorkflowType = 'package-import' and PackageImportId = ${importId}`, 1);
    await operator.run(`cancel-import.${tool}`, { IMPORT_ID: importId });
    const { status, submissions } = await finished(stack, importId);
    expect(status).toBe('cancelled');
    expect(submissions).toHaveLength(products.length);
    for (const submission of submissions) {
      expect(submission).toMatchObject({
        status: 'regulator_insert_failed',
        failure_reason: 'The insert was cancelled.',
        actions: ['regulator-insert'],
      });
    }
    const [summary, ...others] = await imports.summariesOf(importId);
    expect(others).toEqual([]);
    expect(summary?.text).toMatch(/^Note: +The import was cancelled\.$/m);
  });

  it.skipIf(missing)('terminates a stuck insert, which can be retried', async () => {
    imports.takeRegulatorAway();
    const { productId, importId, submissionId } = await imports.importOne();
    await stepUnderWay(productId);
    await operator.run(`terminate-insert.${tool}`, { PRODUCT_ID: productId });
    const { submissions } = await finished(stack, importId);
    expect(submissions[0]).toMatchObject({
      status: 'regulator_insert_failed',
      failure_reason: 'The insert run ended without a result: Terminated',
    });
    imports.restoreRegulator();
    await operator.run(`retry-one.${tool}`, { PRODUCT_ID: productId });
    await imports.reached(submissionId, 'regulator_inserted');
    await expectOneCaseAndOneSummary(importId, productId);
  });

  it.skipIf(missing)('skips the wait of a step', async () => {
    const { productId, importId } = await importThatWaitsLong();
    await operator.run(`skip-waiting.${tool}`, await stepOf(productId));
    const { submissions } = await finished(stack, importId);
    expect(submissions[0]?.status).toBe('regulator_inserted');
    await expectOneCaseAndOneSummary(importId, productId);
  });

  it.skipIf(missing)('pauses the reconciler, runs it once, resumes it', async () => {
    const schedule = stack.temporal.schedule.getHandle('package-import-reconcile');
    await operator.run(`pause-reconciler.${tool}`);
    expect((await schedule.describe()).state).toMatchObject({
      paused: true,
      note: 'because a test wants it',
    });
    const before = (await schedule.describe()).info.numActionsTaken;
    await operator.run(`reconcile-now.${tool}`);
    await eventually(async () => (await schedule.describe()).info.numActionsTaken > before);
    await operator.run(`resume-reconciler.${tool}`);
    expect((await schedule.describe()).state.paused).toBe(false);
  });

  it.skipIf(missing)('lists the batches', async () => {
    const { namespace } = stack.temporal.options;
    const { operationInfo } = await stack.temporal.workflowService.listBatchOperations({ namespace });
    const [jobId] = (operationInfo ?? []).map((batch) => batch.jobId);
    expect(jobId).toBeTruthy();
    expect(await operator.run(`batches.${tool}`)).toContain(jobId);
  });
});

describe('with temporal only', () => {
  it('skips the wait of all steps of an import', async () => {
    const { productId, importId } = await importThatWaitsLong();
    await operator.run('skip-waiting-all.temporal', { IMPORT_ID: importId });
    await finished(stack, importId);
    await expectOneCaseAndOneSummary(importId, productId);
  });

  it('pauses one insert; another retried one is in the same summary', async () => {
    const [held, bad] = [newProductId(), newProductId()];
    imports.takeRegulatorAway();
    imports.reject(bad);
    const { id: importId, submissions } = await imports.importProducts([
      { productId: held },
      { productId: bad },
    ]);
    await operator.run('pause-one.temporal', await stepOf(held));
    // Not while an attempt is under way, which would still succeed.
    await eventually(async () => (await stepUnderWay(held)).state === 4); // PAUSED
    imports.restoreRegulator();
    imports.reject(bad);
    const badSubmission = submissions.find(({ product_id }) => product_id === bad)?.id ?? 0;
    await imports.reached(badSubmission, 'regulator_insert_failed');
    imports.restoreRegulator();
    await operator.run('retry-one.temporal', { PRODUCT_ID: bad });
    await imports.reached(badSubmission, 'regulator_inserted');
    expect(await stepUnderWay(held)).toMatchObject({ paused: true });
    expect(imports.casesOf(held)).toEqual([]);
    expect(await imports.summariesOf(importId)).toEqual([]);

    await operator.run('resume-one.temporal', await stepOf(held));
    await finished(stack, importId);
    await expectOneCaseAndOneSummary(importId, held, bad);
    expect((await imports.summariesOf(importId))[0]?.subject).toContain('2 inserted, 0 failed');
  });
});

describe('with the service', () => {
  it('pauses all inserting, and resumes it', async () => {
    await operator.run('pause-inserting.service');
    const { productId, importId, submissionId } = await imports.importOne();
    const failure = await eventually(async () => {
      const step = (await imports.insert(productId).describe()).raw.pendingActivities?.[0];
      return step?.heartbeatDetails && step.lastFailure;
    });
    expect(failure.message).toMatch(/^Inserting was paused at \S+: because a test wants it$/);
    expect(await imports.submission(submissionId)).toMatchObject({ status: 'regulator_inserting' });
    expect(imports.casesOf(productId)).toEqual([]);
    expect(await operator.run('is-inserting-paused.service', {}, 5)).toContain('because a test wants it');

    await operator.run('resume-inserting.service');
    await finished(stack, importId);
    await expectOneCaseAndOneSummary(importId, productId);
    expect(await operator.run('is-inserting-paused.service')).toContain('Inserting is running.');
  });

  it('shows failures, retries one, retries the rest', async () => {
    const [one, another] = [newProductId(), newProductId()];
    imports.reject([one, another]);
    const { id: importId, submissions } = await imports.importProducts([
      { productId: one },
      { productId: another },
    ]);
    await finished(stack, importId);
    const state = flat(await operator.run('list-failed.service', { IMPORT_ID: importId }, 4));
    expect(state).toContain(one);
    expect(state).toContain('Rejected on request');

    imports.restoreRegulator();
    const [first] = submissions;
    await operator.run('retry-one.service', { IMPORT_ID: importId, SUBMISSION_ID: first?.id ?? 0 });
    const after = (await report(stack, importId)).submissions.map(({ status }) => status);
    expect(after).toEqual(['regulator_inserted', 'regulator_insert_failed']);
    await operator.run('retry-import.service', { IMPORT_ID: importId });
    await expectOneCaseAndOneSummary(importId, one, another);
  });

  it('shows failures over many imports, retries them in one run, and stops a run', async () => {
    const [first, second] = [newProductId(), newProductId()];
    for (const productId of [first, second]) {
      imports.reject(productId);
      const { submissionId } = await imports.importOne({ productId });
      await imports.reached(submissionId, 'regulator_insert_failed');
    }
    imports.restoreRegulator();
    const rejected = { REASON_CODE: 'regulator_rejected' };
    expect(await operator.run('failures.service', rejected)).toContain('Correct the products');
    expect(await operator.run('retry-failures.service', rejected)).toContain('The run is completed');
    await eventually(async () => imports.casesOf(second).length > 0);
    expect(await operator.run('stop-failures.service')).toContain('has ended');
  });

  it('cancels an import, and shows by whom', async () => {
    imports.takeRegulatorAway();
    const { importId } = await imports.importOne();
    await operator.run('cancel-import.service', { IMPORT_ID: importId });
    const { status, submissions } = await report(stack, importId);
    expect(status).toBe('cancelled');
    expect(submissions[0]?.failure_reason).toMatch(/^The insert was cancelled with its import, by client:/);
    expect(await imports.summariesOf(importId)).toHaveLength(1);
  });
});

describe('the runbook', () => {
  it('has only commands that this test runs', () => {
    const left = [...blocks.keys()].filter((name) => !operator.executed.has(name));
    expect(left.filter((name) => tctl.found !== null || !name.endsWith('.tctl'))).toEqual([]);
  });
});

/** Asserts that all products are inserted, each in one case, with one e-mail about all of them. */
async function expectOneCaseAndOneSummary(importId: number, ...products: string[]): Promise<void> {
  const { submissions } = await report(stack, importId);
  expect(submissions.map(({ status }) => status)).toEqual(products.map(() => 'regulator_inserted'));
  for (const productId of products) {
    expect(imports.casesOf(productId)).toHaveLength(1);
  }
  expect(await imports.summariesOf(importId)).toHaveLength(1);
}

/** A product whose first step is due for its next attempt in ten minutes, while the regulator is already available. */
async function importThatWaitsLong() {
  imports.takeRegulatorAway();
  const imported = await imports.importOne();
  const { productId } = imported;
  await stepUnderWay(productId);
  await stack.temporal.workflowService.updateActivityOptions({
    namespace: stack.temporal.options.namespace,
    execution: { workflowId: `regulator-insert-${productId}` },
    type: FIRST_STEP,
    activityOptions: {
      retryPolicy: { initialInterval: { seconds: 600 }, maximumInterval: { seconds: 600 } },
    },
    updateMask: { paths: ['retry_policy.initial_interval', 'retry_policy.maximum_interval'] },
  } as never);
  await eventually(async () => {
    const { scheduledTime } = await stepUnderWay(productId);
    return Number(scheduledTime?.seconds) > Date.now() / 1000 + 120;
  });
  imports.restoreRegulator();
  return imported;
}

/** What an operator reads before a command for a step. */
async function stepOf(productId: string) {
  const { activityId } = await stepUnderWay(productId);
  return { PRODUCT_ID: productId, ACTIVITY_ID: activityId ?? '' };
}

/** The pending activity of a product's run, as soon as it exists. */
async function stepUnderWay(productId: string) {
  return eventually(async () => (await imports.insert(productId).describe()).raw.pendingActivities?.[0]);
}

/** Waits until the visibility store lists so many runs: it lags by a moment. */
async function listed(query: string, count: number): Promise<void> {
  await eventually(async () => (await stack.temporal.workflow.count(query)).count === count);
}

/** One line, without the frames of tables. */
function flat(output: string): string {
  return output.replace(/[\s│|]+/g, ' ');
}
