/** The six steps against a regulator that rejects, fails and loses answers. */
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, packageOf } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';

const stack = await startStack();
const { casesOf, submission, run } = stack.imports;

const behaviour = () => stack.simulator.simulation.behaviour;
const importProducts = (...productIds: string[]) =>
  stack.imports.importProducts(productIds.map((productId) => ({ productId })));

const ended = (id: number) =>
  eventually(async () => {
    const state = await submission(id);
    return state.status === 'regulator_inserting' ? null : state;
  });

/** Summaries of a run's activities, in the order of the Web UI. */
async function summariesOf(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ userMetadata }) =>
    userMetadata?.summary ? [defaultPayloadConverter.fromPayload<string>(userMetadata.summary)] : [],
  );
}

describe('a product that the regulator rejects', () => {
  it('fails with the reason; a retry starts at the first unset flag, in the same case', async () => {
    const productId = newProductId();
    behaviour().reject = [{ product_id: productId, step: 'design', message: 'The description is too short' }];
    const { id, submissions } = await importProducts(productId);
    const report = await finished(stack, id);
    const [failed] = report.submissions;
    const text = 'The regulator rejected the product: design: The description is too short';
    expect(failed).toMatchObject({
      status: 'regulator_insert_failed',
      failure_reason: `${text} (Product/Design)`,
      reasons: [{ path: 'Product/Design', line: null, check: null, text }],
      state: { init_validate: true, product_details: true, product_presentation: true, design: false },
      actions: ['regulator-insert'],
    });
    const handle = stack.temporal.workflow.getHandle(insertWorkflowId(productId));
    const workflow = await handle.describe();
    expect(workflow.status.name).toBe('FAILED');
    // The step and the reason stand in the memo, in the details, and at the end of the timeline.
    const failedStep = 'Step 4 of 6 failed: Send the design';
    expect(workflow.memo).toMatchObject({ failedStep, reason: `${text} (Product/Design)` });
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toBe(`${failedStep}. ${text} (Product/Design)`);
    expect((await summariesOf(handle)).at(-1)).toBe(`${failedStep}. Record the reason`);
    // A rejection is not tried again.
    const tries = stack.simulator.simulation.calls.filter(({ path }) => path.endsWith('/steps/design'));
    expect(tries.map(({ status }) => status)).toEqual([422]);
    const [summary] = await stack.imports.summariesOf(id);
    expect(summary?.text).toContain('The description is too short');

    behaviour().reject = [];
    const submissionId = submissions[0]?.id ?? 0;
    const answer = await run(submissionId);
    expect(answer.status).toBe(202);
    expect(answer.body.data).toMatchObject({ ok: true, status: 202 });
    expect(await ended(submissionId)).toMatchObject({
      status: 'regulator_inserted',
      case_id: failed?.case_id,
      failure_reason: null,
    });
    const [onlyCase, ...others] = casesOf(productId);
    expect(others).toEqual([]);
    expect(INSERT_STEPS.map((step) => onlyCase?.steps[step]?.accepted)).toEqual([1, 1, 1, 1, 1, undefined]);
    expect(onlyCase?.opened).toBe(1);
  });
});

it('a regulator that fails, or loses its answer after it did the work, in every third call: every product is inserted once', async () => {
  Object.assign(behaviour(), { failure_rate: 0.33, lost_answer_rate: 0.33 });
  const productIds = Array.from({ length: 4 }, newProductId);
  const { id } = await importProducts(...productIds);
  const report = await finished(stack, id);
  expect(report.submissions.map(({ status }) => status)).toEqual(Array(4).fill('regulator_inserted'));
  expect(productIds.map((productId) => casesOf(productId).length)).toEqual([1, 1, 1, 1]);
});

describe('identical content', () => {
  it('that was read while the first insert ran ends in the same case', async () => {
    const productId = newProductId();
    const zip = await packageOf({ productId });
    behaviour().unavailable = true;
    const first = await upload(stack, zip);
    const second = await upload(stack, zip);
    behaviour().unavailable = false;
    const secondId = second.body.data.submissions[0]?.id ?? 0;
    expect(second.body.data.queue.results[0]?.status).toBe(409);
    const done = await finished(stack, first.body.data.id);
    expect((await run(secondId)).status).toBe(202);
    expect(await ended(secondId)).toMatchObject({
      status: 'regulator_inserted',
      case_id: done.submissions[0]?.case_id,
    });
    expect(casesOf(productId)).toHaveLength(1);
  });
});

describe('a submission that has been superseded', () => {
  it('offers no action and cannot be retried', async () => {
    const productId = newProductId();
    behaviour().reject = [{ product_id: productId, step: 'design', message: 'no' }];
    const old = await importProducts(productId);
    await finished(stack, old.id);
    behaviour().reject = [];
    const changed = await packageOf({ productId, brand: 'New' });
    await finished(stack, (await upload(stack, changed)).body.data.id);
    const oldId = old.submissions[0]?.id ?? 0;
    expect((await submission(oldId)).actions).toEqual([]);
    const answer = await run(oldId);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain('newer submission');
  });
});
