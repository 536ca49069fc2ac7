/**
 * The end of an insert is recorded, and shown, a moment before its run closes. A client that acts on it in that moment is
 * not refused (decision §one-insert-per-product).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { ImportRetry } from '../../src/contract/types.ts';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { call, finished } from '../support/upload.ts';

const stack = await startStack();
const { imports } = stack;

interface EndingInsert {
  productId: string;
  importId: number;
  submissionId: number;
  run: WorkflowHandleWithFirstExecutionRunId;
}

/** An insert whose end is recorded while its run is still open. No worker serves the run: only the test ends it. */
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

  it('is reported as running when its run does not close within some seconds', async () => {
    const insert = await endingInsert('failed');
    const asked = performance.now();
    const { status, body } = await imports.run(insert.submissionId);
    expect(status).toBe(409);
    expect(body.data.data).toMatchObject({ job_id: insert.run.firstExecutionRunId });
    expect(performance.now() - asked).toBeLessThan(15_000);
    await insert.run.terminate('the end of the test');
  });
});

describe('a product that is uploaded again', () => {
  it.each(['inserted', 'failed'] as const)('is queued while its run closes as %s', async (end) => {
    const insert = await endingInsert(end);
    const { productId } = insert;
    const result = await answerAtClose(insert, () =>
      imports.importProducts([{ productId, brand: 'Changed' }]),
    );
    expect(result.queue).toMatchObject({ queued_count: 1, failed_count: 0 });
    await imports.reached(result.submissions[0]?.id ?? 0, 'regulator_inserted');
  });
});
