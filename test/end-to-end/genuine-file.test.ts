/** Real input: the genuine product file of a large manufacturer, through the whole service. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { genuineProductFile, sharedFormat } from '../support/shared.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

describe.skipIf(!sharedFormat)('a genuine product file (needs ../shared/package-format)', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack();
  });
  afterAll(() => stack?.stop());

  it('is imported, with every section accepted by the regulator', async () => {
    const path = 'package/export/ecigarette-product-submissions/11111111-2222-4333-8444-555555555555.xml';
    const xml = await readFile(genuineProductFile);
    const answer = await upload(stack, await zipOf({ [path]: xml }), { email: 'person@company.example' });
    expect(answer.status).toBe(200);
    expect(answer.body.message).toBe('Package ZIP imported and queued successfully.');
    const report = await finished(stack, answer.body.data.id);
    const [submission] = report.submissions;
    expect(submission).toMatchObject({ status: 'regulator_inserted', case_id: expect.stringMatching(/./) });
    expect(Object.values(submission?.state ?? {})).toEqual(Array(7).fill(true));
    const productId = /<ProductID[^>]*>([^<]+)</.exec(xml.toString('utf8'))?.[1];
    const cases = stack.simulator.simulation.state.cases.filter(({ product_id }) => product_id === productId);
    expect(cases.map(({ case_id }) => case_id)).toEqual([submission?.case_id]);
    expect(report.notification?.status).toBe('sent');
  });
});
