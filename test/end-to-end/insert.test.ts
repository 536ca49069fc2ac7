/**
 * The six steps against a regulator that rejects, fails and loses answers. Attachments and submitters: stored once,
 * found again, sent with the section that references them.
 */
import { readFile } from 'node:fs/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { eventually } from '../support/eventually.ts';
import {
  attachmentXml,
  newProductId,
  packageOf,
  productPath,
  productXml,
  REFERRED_ATTACHMENT,
} from '../support/product-xml.ts';
import { genuineProductFile, sharedFormat } from '../support/shared.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

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
    const attempts = stack.simulator.simulation.calls.filter(({ path }) => path.endsWith('/steps/design'));
    expect(attempts.map(({ status }) => status)).toEqual([422]);
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
  const failed = stack.simulator.simulation.calls.filter(({ status }) => status === 500);
  expect(failed.length).toBeGreaterThan(9);
  const accepted = productIds.flatMap(casesOf).flatMap(({ steps }) => Object.values(steps));
  // A section whose answer was lost was sent, and accepted, again.
  expect(accepted.filter((step) => step.accepted > 1)).not.toEqual([]);
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

const submitter = (name: string) =>
  `<SubmitterDetails><SubmitterID>99962</SubmitterID><Name>${name}</Name><Sme>true</Sme><HasVatNumber>false</HasVatNumber><Address>Street 1</Address><Country>SE</Country><PhoneNumber>+46 1</PhoneNumber><Email>a@b.example</Email></SubmitterDetails>`;

async function imported(entries: Record<string, string>) {
  const answer = await upload(stack, await zipOf(entries));
  return finished(stack, answer.body.data.id);
}

describe('a product that refers to an attachment', () => {
  it('in the package, also after the product, is sent with its section once', async () => {
    const productId = newProductId();
    const report = await imported({
      [productPath('a')]: productXml({ productId }),
      'root/export/attachments/x.xml': attachmentXml('the production process', {
        fileName: '../../etc/passwd',
      }),
    });
    expect(report.submissions[0]).toMatchObject({ status: 'regulator_inserted', warnings: [] });
    expect(casesOf(productId)[0]?.attachments[REFERRED_ATTACHMENT]).toMatchObject({ accepted: 1, bytes: 22 });
  });
});

describe('files that cannot be read', () => {
  it('are reported, and the others are imported', async () => {
    const report = await imported({
      [productPath('a')]: productXml(),
      'root/export/attachments/broken.xml': '<Attachment>',
      'root/export/submitters/broken.xml': '<SubmitterDetails/>',
      'root/export/submitters/99962.xml': submitter('Company'),
    });
    expect(report.submissions).toHaveLength(1);
    expect(report.zip_import).toMatchObject({ extracted_xml_files: 1, failed: [] });
    expect(report.zip_import.warnings.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^attachment file broken.xml: not well-formed XML/),
      expect.stringMatching(/^submitter file broken.xml: SubmitterDetails\/SubmitterID is missing/),
    ]);
  });
});

it.skipIf(!sharedFormat)(
  'a genuine product file is imported, with every section accepted (needs ../shared/package-format)',
  async () => {
    const path = 'package/export/ecigarette-product-submissions/11111111-2222-4333-8444-555555555555.xml';
    const xml = await readFile(genuineProductFile, 'utf8');
    const answer = await upload(stack, await zipOf({ [path]: xml }));
    expect(answer.body.message).toBe('Package ZIP imported and queued successfully.');
    const [submission] = (await finished(stack, answer.body.data.id)).submissions;
    expect(submission).toMatchObject({ status: 'regulator_inserted', case_id: expect.stringMatching(/./) });
    expect(Object.values(submission?.state ?? {})).toEqual(Array(7).fill(true));
    const productId = /<ProductID[^>]*>([^<]+)</.exec(xml)?.[1] ?? '';
    expect(stack.imports.casesOf(productId).map(({ case_id }) => case_id)).toEqual([submission?.case_id]);
  },
);
