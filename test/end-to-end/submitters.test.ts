/** Products belong to submitters: no request of a client reveals data of another company. */
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import type { Submission } from '../../src/contract/types.ts';
import { OTHER_COMPANY } from '../../src/trial-parts/identity-service/identity-service.ts';
import { eventually } from '../support/eventually.ts';
import {
  attachmentXml,
  newProductId,
  productPath,
  productXml,
  REFERRED_ATTACHMENT,
} from '../support/product-xml.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';
import { CLIENT_PERMISSIONS, tokenOf } from '../support/tokens.ts';
import { call, dryRun, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack({ env: { AUTH_SUBMITTERS_CLAIM: 'company.submitters' } });

const OURS = '99962';
const THEIRS = '11111';

const tokenFor = (clientId: string, ...submitters: unknown[]) =>
  tokenOf(stack, clientId, CLIENT_PERMISSIONS, { company: { submitters } });

const packageOf = (productId: string, brand?: string) =>
  zipOf({ [productPath('a')]: productXml({ productId, ...(brand && { brand }) }) });

async function judged(token: string, zip: Uint8Array, query = '') {
  return (await dryRun(stack, zip, { token, query })).body.data.products[0];
}

const diffOf = async (token: string, zip: Uint8Array) => (await judged(token, zip, '&diff=true'))?.diff;

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

const FOREIGN = `The product belongs to submitter ${OURS}, which the access token does not list. Import it with a token for that submitter.`;

describe('with AUTH_SUBMITTERS_CLAIM', () => {
  it('a package with the product of another company does not show its case id', async () => {
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
        { xml_file: 'a.xml', error: `${productId}: ${FOREIGN}`, reasons: [plainReason(FOREIGN)] },
      ]);
      expect(answer.body.data.submissions, title).toEqual([]);
      expect(JSON.stringify(answer.body), title).not.toContain(caseId);
      const checked = await judged(token, await packageOf(productId, 'Other'));
      expect(checked, title).toMatchObject({
        outcome: 'refused',
        changed_sections: [],
        reasons: [plainReason(FOREIGN)],
      });
    }
  });

  it('a conflicting run of another company is not shown', async () => {
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

  it('a product carries only attachments and submitter files of its own tenant', async () => {
    const tokens = { ours: await tokenFor('both', OURS), theirs: await tokenFor('both', OURS, THEIRS) };
    /** Imports a new product of our submitter. Returns the contents that the regulator gets with it. */
    const carried = async (by: keyof typeof tokens, files: Record<string, string> = {}) => {
      const productId = newProductId();
      const zip = await zipOf({ [productPath('a')]: productXml({ productId }), ...files });
      await upload(stack, zip, { token: tokens[by] });
      const { attachments } = await eventually(async () => {
        const [submission] = await stack.sql<{ status: string }>(
          `select status from submission where product_id = '${productId}'`,
        );
        return submission?.status === 'regulator_inserted' && stack.imports.casesOf(productId)[0];
      });
      const [submitter] = await stack.sql<{ name: string }>(
        `select u.details ->> 'Name' as name from submission s join submitter u on u.id = s.submitter_row_id
          where s.product_id = '${productId}'`,
      );
      return { attachment: attachments[REFERRED_ATTACHMENT]?.sha256, submitter: submitter?.name };
    };
    const filesOf = (name: string) => ({
      'root/export/attachments/x.xml': attachmentXml(name),
      'root/export/submitters/s.xml': `<SubmitterDetails><SubmitterID>${OURS}</SubmitterID><Name>${name}</Name><Sme>true</Sme><HasVatNumber>false</HasVatNumber><Address>Street 1</Address><Country>SE</Country><PhoneNumber>+46 1</PhoneNumber><Email>a@b.example</Email></SubmitterDetails>`,
    });
    const of = (name: string) => ({ attachment: hash('sha256', name), submitter: name });
    expect(await carried('theirs', filesOf('theirs'))).toEqual(of('theirs'));
    expect(await carried('ours')).toEqual({ attachment: undefined, submitter: undefined });
    expect(await carried('ours', filesOf('ours'))).toEqual(of('ours'));
    expect(await carried('theirs')).toEqual(of('theirs'));
    expect(await carried('ours')).toEqual(of('ours'));
  });

  it('a difference to the submission of another tenant is not shown', async () => {
    const productId = newProductId();
    await imported(productId);
    const diffs = [];
    for (const submitters of [[OURS], [OURS, THEIRS]])
      diffs.push(await diffOf(await tokenFor('us', ...submitters), await packageOf(productId, 'Other')));
    expect(diffs).toMatchObject([
      { patch: expect.stringContaining('Other'), left_out: null },
      {
        patch: '',
        left_out:
          'The last submission of the product was imported by another client, or for other submitters.',
      },
    ]);
  });

  it('operators see the imports of every company, and import only for the submitters of their token', async () => {
    const productId = newProductId();
    const { submissionId } = await imported(productId);
    const operator = await stack.token();
    expect((await get(operator, `/regulator/submissions/${submissionId}`)).status).toBe(200);
    const answer = await upload(stack, await packageOf(newProductId()), { token: operator });
    expect(answer.body.data.submissions).toEqual([]);
  });
});

describe('the embedded identity service', () => {
  it('lists the submitters of its clients', async () => {
    const claimsOf = async (client?: Parameters<Stack['token']>[0]) =>
      JSON.parse(Buffer.from((await stack.token(client)).split('.')[1] ?? '', 'base64url').toString('utf8'));
    expect((await claimsOf()).submitters).toEqual([OURS]);
    expect((await claimsOf(OTHER_COMPANY)).submitters).toEqual([THEIRS]);
  });
});
