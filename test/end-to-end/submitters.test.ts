/** Products belong to submitters: no request of a client reveals data of another company. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  DryRunResult,
  ImportReport,
  ImportSummary,
  QueueResult,
  Submission,
} from '../../src/contract/types.ts';
import { OTHER_COMPANY } from '../../src/trial-parts/identity-service/identity-service.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { CLIENT_PERMISSIONS, tokenOf } from '../support/tokens.ts';
import { type Answer, call, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ env: { AUTH_SUBMITTERS_CLAIM: 'company.submitters' } });
});
afterAll(() => stack.stop());

const OURS = '99962';
const THEIRS = '11111';

const tokenFor = (clientId: string, ...submitters: unknown[]) =>
  tokenOf(stack, clientId, CLIENT_PERMISSIONS, { company: { submitters } });

const packageOf = (productId: string, brand?: string) =>
  zipOf({ [productPath('a')]: productXml({ productId, ...(brand && { brand }) }) });

async function dryRun(token: string, zip: Uint8Array) {
  const form = new FormData();
  form.set('file', new Blob([zip.slice()]), 'package.zip');
  form.set('dry_run', 'true');
  const answer = await call(stack, 'POST', '/regulator/package-import', { body: form, token });
  return (answer as Answer<DryRunResult>).body.data.products[0];
}

const get = <D>(token: string, path: string) => call<D>(stack, 'GET', path, { token });

/** Imports the product with our token, and waits until the regulator has it. */
async function imported(
  productId: string,
): Promise<{ importId: number; submissionId: number; caseId: string }> {
  const token = await tokenFor('us', OURS);
  const { body } = await upload(stack, await packageOf(productId), { token });
  const submissionId = body.data.submissions[0]?.id ?? 0;
  const { case_id } = await eventually(async () => {
    const { data } = (await get<Submission>(token, `/regulator/submissions/${submissionId}`)).body;
    return data.status === 'regulator_inserted' ? data : null;
  });
  return { importId: body.data.id, submissionId, caseId: case_id ?? '' };
}

const foreign = (productId: string) =>
  `Product ${productId} belongs to submitter ${OURS}, which the access token does not list. Import it with a token for that submitter.`;

describe('with AUTH_SUBMITTERS_CLAIM', () => {
  it('a package with the product of another company gives its case id to nobody', async () => {
    const productId = newProductId();
    const { caseId } = await imported(productId);
    for (const [title, token] of [
      ['another submitter', await tokenFor('them', THEIRS)],
      ['no claim at all', await tokenOf(stack, 'nobody')],
      ['no submitter IDs', await tokenFor('odd', 99962, '999', `${OURS}1`, null)],
    ] as const) {
      const answer = await upload(stack, await packageOf(productId), { token });
      expect(answer.status, title).toBe(200);
      expect(answer.body.data.zip_import.failed, title).toEqual([
        { xml_file: 'a.xml', error: foreign(productId) },
      ]);
      expect(answer.body.data.submissions, title).toEqual([]);
      expect(JSON.stringify(answer.body), title).not.toContain(caseId);
      const checked = await dryRun(token, await packageOf(productId, 'Other'));
      expect(checked, title).toMatchObject({
        outcome: 'refused',
        changed_sections: [],
        reason: foreign(productId),
      });
    }
  });

  it('a run in the way of another company is not told of', async () => {
    const productId = newProductId();
    const { behaviour } = stack.simulator.simulation;
    behaviour.unavailable = true;
    try {
      const zip = await packageOf(productId);
      const ours = await upload(stack, zip, { token: await tokenFor('us', OURS) });
      const jobId = ours.body.data.queue.results[0]?.data.job_id;
      expect(jobId).toEqual(expect.any(String));
      const theirs = await upload(stack, zip, { token: await tokenFor('them', THEIRS) });
      expect(JSON.stringify(theirs.body)).not.toContain(jobId);
      // Another client of the same company still sees it.
      const colleagues = await upload(stack, zip, { token: await tokenFor('colleague', THEIRS, OURS) });
      expect(colleagues.body.data.queue.results[0]).toMatchObject({ status: 409, data: { job_id: jobId } });
    } finally {
      behaviour.unavailable = false;
    }
  });

  it('products of the company are imported, whichever of its clients sends them', async () => {
    const productId = newProductId();
    const { caseId } = await imported(productId);
    const again = await upload(stack, await packageOf(productId), {
      token: await tokenFor('colleague', OURS),
    });
    expect(again.body.data.zip_import.skipped[0]?.reason).toContain(caseId);
  });

  it('what a token no longer lists is not shown to the client that imported it', async () => {
    const productId = newProductId();
    const { importId, submissionId, caseId } = await imported(productId);
    const before = await tokenFor('us', OURS);
    const after = await tokenFor('us', THEIRS);
    const submission = `/regulator/submissions/${submissionId}`;
    expect((await get(before, submission)).status).toBe(200);
    expect((await get(after, submission)).status).toBe(404);
    const xml = await fetch(`${stack.gatewayUrl}${submission}/xml`, {
      headers: { authorization: `Bearer ${after}` },
    });
    expect(xml.status).toBe(404);
    const run = await call<QueueResult>(stack, 'POST', `${submission}/actions/regulator-insert`, {
      token: after,
    });
    expect(run.status).toBe(404);
    const list = (token: string) =>
      get<{ submissions: Submission[] }>(token, `/regulator/submissions?product_id=${productId}`);
    expect((await list(before)).body.data.submissions).toHaveLength(1);
    expect((await list(after)).body.data.submissions).toEqual([]);
    const report = await get<ImportReport>(after, `/regulator/package-imports/${importId}`);
    expect(report.body.data.submissions).toEqual([]);
    expect(JSON.stringify(report.body)).not.toContain(caseId);
  });

  it('nor counted, wherever an import is summed up', async () => {
    const { behaviour } = stack.simulator.simulation;
    behaviour.unavailable = true;
    const [before, after] = [await tokenFor('us', OURS), await tokenFor('us', THEIRS)];
    const { id } = (await upload(stack, await packageOf(newProductId()), { token: before })).body.data;
    const path = `/regulator/package-imports/${id}`;
    const cancel = (token: string) => call<ImportSummary>(stack, 'POST', `${path}/actions/cancel`, { token });
    const counted = ({ body }: Answer<ImportSummary>) =>
      Object.values(body.data.progress).reduce((sum, count) => sum + count, 0);
    expect(counted(await get(after, `${path}?view=summary`))).toBe(0);
    expect(counted(await cancel(after))).toBe(0);
    expect(counted(await cancel(before))).toBe(1);
    behaviour.unavailable = false;
  });

  it('operators see the imports of every company, and import for those only that their token lists', async () => {
    const productId = newProductId();
    const { submissionId } = await imported(productId);
    const operator = await stack.token();
    expect((await get(operator, `/regulator/submissions/${submissionId}`)).status).toBe(200);
    const answer = await upload(stack, await packageOf(newProductId()), { token: operator });
    expect(answer.body.data.submissions).toEqual([]);
  });
});

describe('the embedded identity service', () => {
  it('says which submitters its clients speak for', async () => {
    const claimsOf = async (client?: Parameters<TestStack['token']>[0]) =>
      JSON.parse(Buffer.from((await stack.token(client)).split('.')[1] ?? '', 'base64url').toString('utf8'));
    expect((await claimsOf()).submitters).toEqual([OURS]);
    expect((await claimsOf(OTHER_COMPANY)).submitters).toEqual([THEIRS]);
  });
});
