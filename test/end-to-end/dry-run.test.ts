/** Dry runs: the verdicts of an import, without any of its effects. */
import { describe, expect, it } from 'vitest';
import type { DryRunResult } from '../../src/contract/types.ts';
import { filesBelow } from '../support/files-below.ts';
import {
  attachmentXml,
  newProductId,
  packageOf,
  productPath,
  productXml,
  REFERRED_ATTACHMENT,
} from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { type Answer, call, dryRun, finished, type UploadOptions, upload } from '../support/upload.ts';
import { type ZipEntries, zipOf } from '../support/zip.ts';

const stack = await startStack();

/** The form requests the dry run. */
const dryRunByForm = (zip: Uint8Array, headers: Record<string, string> = {}) =>
  upload<DryRunResult>(stack, zip, { fields: { dry_run: 'true' }, headers });

/** The query requests the dry run. */
const dryRunWithDiff = (zip: Uint8Array, options: UploadOptions = {}) =>
  dryRun(stack, zip, { query: '&diff=true', ...options });

const verdicts = ({ body }: Answer<DryRunResult>) =>
  Object.fromEntries(body.data.products.map(({ xml_file, outcome }) => [xml_file, outcome]));

async function imported(entries: ZipEntries) {
  return finished(stack, (await upload(stack, await zipOf(entries))).body.data.id);
}

async function everything() {
  const [counts] = await stack.sql<Record<string, string>>(
    `select (select count(*) from zip_import) imports, (select count(*) from submission) submissions,
            (select count(*) from attachment) attachments, (select count(*) from submitter) submitters,
            (select count(*) from zip_import_file) files, (select count(*) from idempotency_key) keys,
            (select count(*) from notification) notifications`,
  );
  const stored = await filesBelow(new URL(stack.config.archive.url).pathname);
  return { counts, stored: stored.sort(), cases: stack.simulator.simulation.state.cases.length };
}

describe('a dry run', () => {
  it('gives each product file its verdict, with the reason and the warnings', async () => {
    const [fresh, same] = [newProductId(), newProductId()];
    await imported({ [productPath('same')]: productXml({ productId: same }) });
    const answer = await dryRunByForm(
      await zipOf({
        [productPath('new')]: productXml({ productId: fresh }),
        [productPath('same')]: productXml({ productId: same }),
        [productPath('twice')]: productXml({ productId: fresh }),
        [productPath('type')]: productXml({ type: '77' }),
        [productPath('broken')]: '<EcigProductSubmission>',
        'root/export/tobacco-product-submissions/t.xml': '<TobaccoProductSubmission/>',
        'root/export/lost.xml': productXml(),
        'root/Export/Attachments/odd.xml': '<Odd/>',
      }),
    );
    expect(answer.status).toBe(200);
    expect(verdicts(answer)).toEqual({
      'new.xml': 'new',
      'same.xml': 'unchanged',
      'twice.xml': 'skipped',
      'type.xml': 'refused',
      'broken.xml': 'refused',
      't.xml': 'skipped',
    });
    expect(answer.body.message).toBe(
      'Dry run: nothing was imported. new: 1, changed: 0, unchanged: 1, skipped: 2, refused: 2.',
    );
    const [first, second] = answer.body.data.products;
    expect(first).toMatchObject({ product_id: fresh, product_type: expect.any(String), reasons: [] });
    expect(first?.warnings).toEqual([
      {
        path: 'Product/Design/ProductionFile',
        line: 46,
        check: null,
        text: `the attachment ${REFERRED_ATTACHMENT} is neither in this package nor known from an earlier one`,
      },
    ]);
    expect(second?.reasons[0]?.text).toContain('unchanged since it was inserted as case');
    const refused = answer.body.data.products.find(({ xml_file }) => xml_file === 'type.xml');
    expect(refused?.reasons).toMatchObject([{ path: 'Product/ProductType', line: expect.any(Number) }]);
    expect(answer.body.data.warnings).toMatchObject([
      { path: null, line: 1, text: expect.stringMatching(/^attachment file odd.xml: wrong root element/) },
      {
        path: null,
        line: null,
        text: expect.stringMatching(/^XML file "root\/export\/lost.xml" was not read/),
      },
    ]);
  });

  it('leaves nothing, whatever its result', async () => {
    const before = await everything();
    const good = await dryRunByForm(
      await zipOf({
        [productPath('a')]: productXml(),
        'root/export/attachments/x.xml': attachmentXml('left behind?'),
      }),
      { 'idempotency-key': 'dry-run-1' },
    );
    expect(good.status).toBe(200);
    expect((await dryRunWithDiff(await packageOf({}))).status).toBe(200);
    const bad = await dryRunByForm(Buffer.from('no archive at all'));
    expect(bad.status).toBe(500);
    expect(await everything()).toEqual(before);
  });

  it('ignores an Idempotency-Key in the query, and is refused under one of an import in the form', async () => {
    const zip = await packageOf({});
    const headers = { 'Idempotency-Key': 'of-an-import' };
    const { status, body } = await upload(stack, zip, { headers });
    expect(status).toBe(200);
    const inQuery = await upload(stack, zip, { headers, query: '?dry_run=true' });
    expect(inQuery).toMatchObject({ status: 200, body: { data: { dry_run: true } } });
    expect(await dryRunByForm(zip, headers)).toMatchObject({
      status: 422,
      body: { data: { code: 'idempotency_key_reused', id: body.data.id } },
    });
  });

  it('refuses a broken package as an import does', async () => {
    const zip = await zipOf({ 'root/readme.txt': 'no export here' });
    const checked = await dryRunByForm(zip);
    const real = await upload(stack, zip);
    expect(checked.status).toBe(500);
    expect(checked.body.message).toBe(real.body.message);
    expect(checked.body.data).toEqual({
      code: 'invalid_package',
      doc_url: '/api/doc/errors#invalid_package',
    });
    expect(real.body.data).toMatchObject({ code: 'invalid_package', id: expect.any(Number) });
  });
});

describe('a dry run that the query asks for', () => {
  it('needs no regulator session; one that only the form requests needs it', async () => {
    const zip = await packageOf({});
    await call(stack, 'DELETE', '/regulator/session');
    const answer = await dryRun(stack, zip);
    const inForm = await dryRunByForm(zip);
    await stack.logIn();
    expect(answer.status).toBe(200);
    expect(verdicts(answer)).toEqual({ 'a.xml': 'new' });
    expect(answer.body.data.products[0]).not.toHaveProperty('diff');
    expect(inForm).toMatchObject({ status: 412, body: { data: { code: 'session_required' } } });
  });
});

describe('the difference to the inserted version', () => {
  const diffOf = ({ body }: Answer<DryRunResult>) => body.data.products[0]?.diff;

  it('is a unified diff of the fields of each changed section, with attachments', async () => {
    const productId = newProductId();
    const [path, file] = [productPath('a'), 'root/export/attachments/x.xml'];
    const report = await imported({ [path]: productXml({ productId }), [file]: attachmentXml('one') });
    const same = await dryRunWithDiff(
      await zipOf({ [path]: productXml({ productId }), [file]: attachmentXml('one') }),
    );
    expect(diffOf(same)).toBeNull();
    const edit = (xml: string) => xml.replace('A bottle', 'A can');
    const changed = { [path]: productXml({ productId, brand: 'Other', edit }), [file]: attachmentXml('two') };
    const { submission_id, patch = '', left_out } = diffOf(await dryRunWithDiff(await zipOf(changed))) ?? {};
    expect({ submission_id, left_out }).toEqual({ submission_id: report.submissions[0]?.id, left_out: null });
    const lines = patch.split('\n').filter((line) => /^[-+]/.test(line));
    expect(lines).toEqual([
      `--- submission-${submission_id}/product_presentation`,
      '+++ package/product_presentation',
      expect.stringMatching(/^-Presentations.*BrandName.*: "(?!Other)/),
      expect.stringMatching(/^\+Presentations.*BrandName.*: "Other"$/),
      `--- submission-${submission_id}/design`,
      '+++ package/design',
      '-Design/Description/value: "A bottle"',
      '+Design/Description/value: "A can"',
      expect.stringMatching(/^-Design.*attachmentID \(content\): SHA-256 [0-9a-f]{64}$/),
      expect.stringMatching(/^\+Design.*attachmentID \(content\): SHA-256 [0-9a-f]{64}$/),
    ]);
  });

  it('names the attachment whose file name or flag changed, which is sent again', async () => {
    const productId = newProductId();
    const [path, file] = [productPath('a'), 'root/export/attachments/x.xml'];
    const entries = (attachment: string) => ({ [path]: productXml({ productId }), [file]: attachment });
    await imported(entries(attachmentXml('one')));
    const renamed = attachmentXml('one', { fileName: 'b.pdf' });
    const open = renamed.replace('<Confidential>true<', '<Confidential>false<');
    const answer = await dryRunWithDiff(await zipOf(entries(open)));
    expect(answer.body.data.products).toMatchObject([{ outcome: 'changed', changed_sections: ['design'] }]);
    const lines = diffOf(answer)?.patch.split('\n') ?? [];
    const at = 'Design/ProductionFile/attachmentID (file): ';
    expect(lines.filter((line) => /^[-+]\w/.test(line))).toEqual([
      `-${at}{"Filename":"a.pdf","ContentType":"application/pdf","Confidential":true}`,
      `+${at}{"Filename":"b.pdf","ContentType":"application/pdf","Confidential":false}`,
    ]);
  });

  it('compares with the inserted submission, not with a failed one', async () => {
    const productId = newProductId();
    const product = (brand: string) => ({ [productPath('a')]: productXml({ productId, brand }) });
    const first = await imported(product('Inserted'));
    stack.simulator.simulation.behaviour.reject = [{ product_id: productId, step: 'design', message: 'no' }];
    await imported(product('Refused'));
    stack.simulator.simulation.behaviour.reject = [];
    const diff = diffOf(await dryRunWithDiff(await zipOf(product('Refused'))));
    expect(diff?.submission_id).toBe(first.submissions[0]?.id);
    expect(diff?.patch).toMatch(/\n-Presentations.*"Inserted"\n\+Presentations.*"Refused"\n/);
  });

  it('is null for a product without an inserted submission', async () => {
    expect(diffOf(await dryRunWithDiff(await packageOf({})))).toBeNull();
  });
});
