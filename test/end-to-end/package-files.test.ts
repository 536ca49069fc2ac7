/** Attachments and submitters: stored once, found again, sent with the section that references them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

/** The attachment to which `productXml` refers in its design. */
const REFERRED = '238d0f2d-5dd0-4f07-838e-24680cb37d51';

const attachment = (content: string, id = REFERRED) =>
  `<Attachment><AttachmentID>${id}</AttachmentID><Filename>../../etc/passwd</Filename><Content>${Buffer.from(content).toString('base64')}</Content><ContentType>application/pdf</ContentType><Confidential>true</Confidential></Attachment>`;
const submitter = (name: string) =>
  `<SubmitterDetails><SubmitterID>99962</SubmitterID><Name>${name}</Name><Sme>true</Sme><HasVatNumber>false</HasVatNumber><Address>Street 1</Address><Country>SE</Country><PhoneNumber>+46 1</PhoneNumber><Email>a@b.example</Email></SubmitterDetails>`;

const caseOf = (productId: string) =>
  stack.simulator.simulation.state.cases.find((one) => one.product_id === productId);

async function run(entries: Record<string, string>) {
  const answer = await upload(stack, await zipOf(entries));
  return finished(stack, answer.body.data.id);
}

describe('a product that refers to an attachment', () => {
  it('that is nowhere: created, with a warning that names it', async () => {
    const productId = newProductId();
    const report = await run({ [productPath('a')]: productXml({ productId }) });
    expect(report.submissions[0]?.warnings).toEqual([
      `Product/Design/ProductionFile refers to the attachment ${REFERRED}, which is neither in this package nor known from an earlier one`,
    ]);
    expect(caseOf(productId)?.attachments).toEqual({});
  });

  it('in the package, also behind the product: sent once, with the section', async () => {
    const productId = newProductId();
    const report = await run({
      [productPath('a')]: productXml({ productId }),
      'root/export/attachments/x.xml': attachment('the production process'),
    });
    expect(report.submissions[0]).toMatchObject({ status: 'regulator_inserted', warnings: [] });
    expect(caseOf(productId)?.attachments[REFERRED]).toMatchObject({ accepted: 1, bytes: 22 });
  });

  it('known from an earlier package of the same client: sent as well', async () => {
    const productId = newProductId();
    const report = await run({ [productPath('a')]: productXml({ productId }) });
    expect(report.submissions[0]?.warnings).toEqual([]);
    expect(caseOf(productId)?.attachments[REFERRED]).toMatchObject({ bytes: 22 });
  });

  it('is a new submission when the attachment has changed', async () => {
    const productId = newProductId();
    const entries = { [productPath('a')]: productXml({ productId }) };
    await run(entries);
    expect((await run(entries)).zip_import.skipped_count).toBe(1);
    const changed = await run({ ...entries, 'root/export/attachments/y.xml': attachment('another process') });
    expect(changed.zip_import).toMatchObject({ skipped_count: 0, extracted_xml_files: 1 });
    expect(changed.submissions).toHaveLength(1);
  });
});

describe('files that cannot be read', () => {
  it('are reported and stop nothing', async () => {
    const report = await run({
      [productPath('a')]: productXml(),
      'root/export/attachments/broken.xml': '<Attachment>',
      'root/export/submitters/broken.xml': '<SubmitterDetails/>',
      'root/export/submitters/99962.xml': submitter('Company'),
    });
    expect(report.submissions).toHaveLength(1);
    expect(report.zip_import).toMatchObject({ extracted_xml_files: 1, failed: [] });
    expect(report.zip_import.warnings).toEqual([
      expect.stringMatching(/^attachment file broken.xml: not well-formed XML/),
      expect.stringMatching(/^submitter file broken.xml: SubmitterDetails\/SubmitterID is missing/),
    ]);
  });
});

describe('tobacco products', () => {
  it('are reported as skipped with that reason, and counted', async () => {
    const report = await run({
      [productPath('a')]: productXml(),
      'root/export/tobacco-product-submissions/t.xml': '<TobaccoProductSubmission/>',
    });
    expect(report.zip_import).toMatchObject({ extracted_xml_files: 2, skipped_count: 1 });
    expect(report.zip_import.skipped).toEqual([
      { xml_file: 't.xml', reason: 'Tobacco products are not imported.' },
    ]);
  });
});
