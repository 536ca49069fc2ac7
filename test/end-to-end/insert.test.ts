/** The six steps against a regulator that rejects, fails, loses answers and ends its session. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { QueueResult, Submission } from '../../src/contract/types.ts';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { GOOD_BEHAVIOUR } from '../../src/trial-parts/regulator-simulator/behaviour.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());
afterEach(() => {
  Object.assign(behaviour(), GOOD_BEHAVIOUR);
});

const behaviour = () => stack.simulator.simulation.behaviour;
const casesOf = (productId: string) =>
  stack.simulator.simulation.state.cases.filter((one) => one.product_id === productId);

async function importProducts(...productIds: string[]) {
  const entries = productIds.map((productId) => [productPath(productId), productXml({ productId })]);
  const answer = await upload(stack, await zipOf(Object.fromEntries(entries)), {
    email: 'person@company.example',
  });
  return answer.body.data;
}

async function submission(id: number): Promise<Submission> {
  return (await call<Submission>(stack, 'GET', `/regulator/submissions/${id}`)).body.data;
}

const run = (id: number) =>
  call<QueueResult>(stack, 'POST', `/regulator/submissions/${id}/actions/regulator-insert`);

const ended = (id: number) =>
  eventually(async () => {
    const state = await submission(id);
    return state.status === 'regulator_inserting' ? null : state;
  });

describe('a product that the regulator rejects', () => {
  it('ends as failed with the reason; a rerun starts at the first flag that is not set, in the same case', async () => {
    const productId = newProductId();
    behaviour().reject = [{ product_id: productId, step: 'design', message: 'The description is too short' }];
    const { id, submissions } = await importProducts(productId);
    const report = await finished(stack, id);
    const [failed] = report.submissions;
    expect(failed).toMatchObject({
      status: 'regulator_insert_failed',
      failure_reason: expect.stringContaining('The description is too short'),
      state: { init_validate: true, product_details: true, product_presentation: true, design: false },
      actions: ['regulator-insert'],
    });
    const workflow = await stack.temporal.workflow.getHandle(insertWorkflowId(productId)).describe();
    expect(workflow.status.name).toBe('FAILED');
    const summary = (await stack.mailbox.store.list()).find(({ subject }) =>
      subject.startsWith(`Package import ${id}:`),
    );
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

describe('a regulator that is unreliable', () => {
  it('fails every third call: every product is inserted once', async () => {
    behaviour().failure_rate = 0.33;
    const productIds = Array.from({ length: 4 }, newProductId);
    const { id } = await importProducts(...productIds);
    const report = await finished(stack, id);
    expect(report.submissions.map(({ status }) => status)).toEqual(Array(4).fill('regulator_inserted'));
    expect(productIds.map((productId) => casesOf(productId).length)).toEqual([1, 1, 1, 1]);
  });

  it('loses answers after doing the work: no second case is opened', async () => {
    behaviour().lost_answer_rate = 0.33;
    const productIds = Array.from({ length: 4 }, newProductId);
    const { id } = await importProducts(...productIds);
    const report = await finished(stack, id);
    expect(report.submissions.map(({ status }) => status)).toEqual(Array(4).fill('regulator_inserted'));
    expect(productIds.map((productId) => casesOf(productId).length)).toEqual([1, 1, 1, 1]);
  });

  it('limits the rate: inserts wait and go on', async () => {
    behaviour().rate_limit_per_second = 5;
    const { id } = await importProducts(newProductId(), newProductId());
    const report = await finished(stack, id);
    expect(report.submissions.map(({ status }) => status)).toEqual([
      'regulator_inserted',
      'regulator_inserted',
    ]);
  });
});

describe('a session that ends in the middle', () => {
  it('lets the insert wait, visibly, until the next login', async () => {
    const productId = newProductId();
    behaviour().latency_ms = 150;
    const { id } = await importProducts(productId);
    await eventually(async () => casesOf(productId).length > 0);
    await stack.simulator.simulation.state.endSession();
    behaviour().latency_ms = 0;
    const handle = stack.temporal.workflow.getHandle(insertWorkflowId(productId));
    await eventually(async () => {
      const { raw } = await handle.describe();
      return raw.pendingActivities?.some(({ lastFailure }) =>
        /Log in with POST/.test(lastFailure?.message ?? ''),
      );
    });
    await stack.logIn();
    const report = await finished(stack, id);
    expect(report.submissions[0]?.status).toBe('regulator_inserted');
    expect(casesOf(productId)).toHaveLength(1);
  });
});

describe('identical content', () => {
  it('is skipped when it has been inserted, and inserted anew when it has changed', async () => {
    const productId = newProductId();
    const zip = await zipOf({ [productPath('a')]: productXml({ productId }) });
    await finished(stack, (await upload(stack, zip)).body.data.id);
    const again = await upload(stack, zip);
    expect(again.body.message).toBe('Package ZIP imported and queued successfully.');
    expect(again.body.data.zip_import).toMatchObject({
      extracted_xml_files: 1,
      skipped_count: 1,
      created_submissions: [],
    });
    expect(again.body.data.zip_import.skipped[0]?.reason).toContain('unchanged');
    const changed = await zipOf({ [productPath('a')]: productXml({ productId, brand: 'New' }) });
    await finished(stack, (await upload(stack, changed)).body.data.id);
    expect(casesOf(productId)).toHaveLength(2);
  });

  it('that was extracted while the first was running ends in the same case', async () => {
    const productId = newProductId();
    const zip = await zipOf({ [productPath('a')]: productXml({ productId }) });
    behaviour().latency_ms = 200;
    const first = await upload(stack, zip);
    const second = await upload(stack, zip);
    behaviour().latency_ms = 0;
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
  it('offers no action and cannot be run', async () => {
    const productId = newProductId();
    behaviour().reject = [{ product_id: productId, step: 'design', message: 'no' }];
    const old = await importProducts(productId);
    await finished(stack, old.id);
    behaviour().reject = [];
    const changed = await zipOf({ [productPath('a')]: productXml({ productId, brand: 'New' }) });
    await finished(stack, (await upload(stack, changed)).body.data.id);
    const oldId = old.submissions[0]?.id ?? 0;
    expect((await submission(oldId)).actions).toEqual([]);
    const answer = await run(oldId);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain('newer submission');
  });
});
