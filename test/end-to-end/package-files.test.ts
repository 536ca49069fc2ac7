/** Attachments and submitters: stored once, found again, sent with the section that references them. */

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  attachmentXml,
  newProductId,
  productPath,
  productXml,
  REFERRED_ATTACHMENT,
} from '../support/product-xml.ts';
import { genuineProductFile, sharedFormat } from '../support/shared.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack();

const submitter = (name: string) =>
  `<SubmitterDetails><SubmitterID>99962</SubmitterID><Name>${name}</Name><Sme>true</Sme><HasVatNumber>false</HasVatNumber><Address>Street 1</Address><Country>SE</Country><PhoneNumber>+46 1</PhoneNumber><Email>a@b.example</Email></SubmitterDetails>`;

const caseOf = (productId: string) =>
  stack.simulator.simulation.state.cases.find((one) => one.product_id === productId);

async function run(entries: Record<string, string>) {
  const answer = await upload(stack, await zipOf(entries));
  return finished(stack, answer.body.data.id);
}

describe('a product that refers to an attachment', () => {
  it('in the package, also after the product, is sent with its section once', async () => {
    const productId = newProductId();
    const report = await run({
      [productPath('a')]: productXml({ productId }),
      'root/export/attachments/x.xml': attachmentXml('the production process', {
        fileName: '../../etc/passwd',
      }),
    });
    expect(report.submissions[0]).toMatchObject({ status: 'regulator_inserted', warnings: [] });
    expect(caseOf(productId)?.attachments[REFERRED_ATTACHMENT]).toMatchObject({ accepted: 1, bytes: 22 });
  });

  it('of an earlier package of the same client is sent, too', async () => {
    const productId = newProductId();
    const report = await run({ [productPath('a')]: productXml({ productId }) });
    expect(report.submissions[0]?.warnings).toEqual([]);
    expect(caseOf(productId)?.attachments[REFERRED_ATTACHMENT]).toMatchObject({ bytes: 22 });
  });

  it('is a new submission when the attachment has changed', async () => {
    const productId = newProductId();
    const entries = { [productPath('a')]: productXml({ productId }) };
    await run(entries);
    expect((await run(entries)).zip_import.skipped_count).toBe(1);
    const changed = await run({
      ...entries,
      'root/export/attachments/y.xml': attachmentXml('another process'),
    });
    expect(changed.zip_import).toMatchObject({ skipped_count: 0, extracted_xml_files: 1 });
    expect(changed.submissions).toHaveLength(1);
  });
});

describe('files that cannot be read', () => {
  it('are reported, and the others are imported', async () => {
    const report = await run({
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
