/** Dry runs: the verdicts of an import, without any of its effects. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DryRunResult } from '../../src/contract/types.ts';
import { OTHER_COMPANY } from '../../src/trial-parts/identity-service/identity-service.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { type Answer, call, finished, upload } from '../support/upload.ts';
import { type ZipEntries, zipOf } from '../support/zip.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const ATTACHMENT_ID = '238d0f2d-5dd0-4f07-838e-24680cb37d51';
const attachment = (content: string) =>
  `<Attachment><AttachmentID>${ATTACHMENT_ID}</AttachmentID><Filename>a.pdf</Filename><Content>${Buffer.from(content).toString('base64')}</Content><ContentType>application/pdf</ContentType><Confidential>true</Confidential></Attachment>`;

const PATH = '/regulator/package-import';

async function dryRun(zip: Uint8Array, headers: Record<string, string> = {}) {
  const form = new FormData();
  form.set('file', new Blob([zip.slice()]), 'package.zip');
  form.set('dry_run', 'true');
  return (await call(stack, 'POST', PATH, { body: form, headers })) as Answer<DryRunResult>;
}

/** The query requests the dry run. */
async function tryOut(zip: Uint8Array, { query = 'dry_run=true&diff=true', token = '' } = {}) {
  const form = new FormData();
  form.set('file', new Blob([zip.slice()]), 'package.zip');
  const as = token === '' ? {} : { token };
  return (await call(stack, 'POST', `${PATH}?${query}`, { body: form, ...as })) as Answer<DryRunResult>;
}

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
  const directory = new URL(stack.config.archive.url).pathname;
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const stored = entries.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return { counts, stored: stored.sort(), cases: stack.simulator.simulation.state.cases.length };
}

describe('a dry run', () => {
  it('gives each product file its verdict, with the reason and the warnings', async () => {
    const [fresh, same] = [newProductId(), newProductId()];
    await imported({ [productPath('same')]: productXml({ productId: same }) });
    const answer = await dryRun(
      await zipOf({
        [productPath('new')]: productXml({ productId: fresh }),
        [productPath('same')]: productXml({ productId: same }),
        [productPath('twice')]: productXml({ productId: fresh }),
        [productPath('type')]: productXml({ type: '77' }),
        [productPath('broken')]: '<EcigProductSubmission>',
        'root/export/tobacco-product-submissions/t.xml': '<TobaccoProductSubmission/>',
        'root/export/attachments/odd.xml': '<Odd/>',
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
      'Dry run, nothing was imported. new: 1, changed: 0, unchanged: 1, skipped: 2, refused: 2.',
    );
    const [first, second] = answer.body.data.products;
    expect(first).toMatchObject({ product_id: fresh, product_type: expect.any(String), reason: null });
    expect(first?.warnings).toEqual([expect.stringContaining(ATTACHMENT_ID)]);
    expect(second?.reason).toContain('unchanged since it was inserted as case');
    const refused = answer.body.data.products.find(({ xml_file }) => xml_file === 'type.xml');
    expect(refused?.reason).toContain('ProductType');
    expect(answer.body.data.warnings).toEqual([expect.stringContaining('odd.xml')]);
  });

  it('names the sections that have changed', async () => {
    const productId = newProductId();
    await imported({ [productPath('a')]: productXml({ productId }) });
    const changed = productXml({
      productId,
      brand: 'Other',
      edit: (xml) => xml.replace('A bottle', 'A can'),
    });
    const { body } = await dryRun(await zipOf({ [productPath('a')]: changed }));
    expect(body.data.products[0]).toMatchObject({
      outcome: 'changed',
      changed_sections: ['product_presentation', 'design'],
    });
  });

  it('takes an attachment for a part of the section that refers to it', async () => {
    const productId = newProductId();
    const product = { [productPath('a')]: productXml({ productId }) };
    await imported({ ...product, 'root/export/attachments/x.xml': attachment('one') });
    const same = await dryRun(
      await zipOf({ ...product, 'root/export/attachments/x.xml': attachment('one') }),
    );
    expect(verdicts(same)).toEqual({ 'a.xml': 'unchanged' });
    const other = await dryRun(await zipOf({ ...product, 'root/export/attachments/x.xml': attachment('2') }));
    expect(other.body.data.products[0]).toMatchObject({
      outcome: 'changed',
      changed_sections: ['design'],
      warnings: [],
    });
  });

  it('says that what was not inserted would be sent again', async () => {
    const productId = newProductId();
    const { behaviour } = stack.simulator.simulation;
    behaviour.reject = [{ product_id: productId, step: 'design', message: 'no' }];
    const product = { [productPath('a')]: productXml({ productId }) };
    const report = await imported(product);
    behaviour.reject = [];
    const { body } = await dryRun(await zipOf(product));
    const reason = `Its last submission, ${report.submissions[0]?.id}, is regulator_insert_failed: the same is sent again.`;
    expect(body.data.products[0]).toMatchObject({ outcome: 'new', changed_sections: [], reason });
  });

  it('leaves nothing behind, whatever comes of it', async () => {
    const before = await everything();
    const good = await dryRun(
      await zipOf({
        [productPath('a')]: productXml(),
        'root/export/attachments/x.xml': attachment('left behind?'),
      }),
      { 'idempotency-key': 'dry-run-1' },
    );
    expect(good.status).toBe(200);
    const bad = await dryRun(Buffer.from('no archive at all'));
    expect(bad.status).toBe(500);
    expect(await everything()).toEqual(before);
  });

  it('refuses a broken package as an import does', async () => {
    const zip = await zipOf({ 'root/readme.txt': 'no export here' });
    const checked = await dryRun(zip);
    const real = await upload(stack, zip);
    expect(checked.status).toBe(500);
    expect(checked.body.message).toBe(real.body.message);
    expect(checked.body.data).toEqual({ code: 'invalid_package' });
    expect(real.body.data).toEqual({ code: 'invalid_package', id: expect.any(Number) });
  });

  it('is asked for with true or false only', async () => {
    const form = new FormData();
    form.set('file', new Blob([(await zipOf({ [productPath('a')]: productXml() })).slice()]), 'package.zip');
    form.set('dry_run', 'perhaps');
    const answer = await call(stack, 'POST', '/regulator/package-import', { body: form });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('"dry_run" must be true or false');
  });
});

describe('a dry run that the query asks for', () => {
  it('needs no regulator session; one that only the form asks for does', async () => {
    const zip = await zipOf({ [productPath('a')]: productXml() });
    await call(stack, 'DELETE', '/regulator/session');
    const answer = await tryOut(zip, { query: 'dry_run=true' });
    const inForm = await dryRun(zip);
    await stack.logIn();
    expect(answer.status).toBe(200);
    expect(verdicts(answer)).toEqual({ 'a.xml': 'new' });
    expect(answer.body.data.products[0]).not.toHaveProperty('diff');
    expect(inForm).toMatchObject({ status: 412, body: { data: { code: 'session_required' } } });
  });

  it('leaves nothing behind', async () => {
    const before = await everything();
    expect((await tryOut(await zipOf({ [productPath('a')]: productXml() }))).status).toBe(200);
    expect(await everything()).toEqual(before);
  });
});

describe('the difference to what was inserted last', () => {
  const diffOf = ({ body }: Answer<DryRunResult>) => body.data.products[0]?.diff;

  it('is a unified diff of the fields of each section that changes, attachments and all', async () => {
    const productId = newProductId();
    const [path, file] = [productPath('a'), 'root/export/attachments/x.xml'];
    const report = await imported({ [path]: productXml({ productId }), [file]: attachment('one') });
    const same = await tryOut(await zipOf({ [path]: productXml({ productId }), [file]: attachment('one') }));
    expect(diffOf(same)).toBeNull();
    const edit = (xml: string) => xml.replace('A bottle', 'A can');
    const changed = { [path]: productXml({ productId, brand: 'Other', edit }), [file]: attachment('two') };
    const { submission_id, patch = '', left_out } = diffOf(await tryOut(await zipOf(changed))) ?? {};
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

  it('is to what the regulator has, not to a submission that failed', async () => {
    const productId = newProductId();
    const product = (brand: string) => ({ [productPath('a')]: productXml({ productId, brand }) });
    const first = await imported(product('Inserted'));
    stack.simulator.simulation.behaviour.reject = [{ product_id: productId, step: 'design', message: 'no' }];
    await imported(product('Refused'));
    stack.simulator.simulation.behaviour.reject = [];
    const diff = diffOf(await tryOut(await zipOf(product('Refused'))));
    expect(diff?.submission_id).toBe(first.submissions[0]?.id);
    expect(diff?.patch).toMatch(/\n-Presentations.*"Inserted"\n\+Presentations.*"Refused"\n/);
  });

  it('is null for a product of which nothing is inserted', async () => {
    expect(diffOf(await tryOut(await zipOf({ [productPath('a')]: productXml() })))).toBeNull();
  });

  it('shows nothing of what another client has submitted', async () => {
    const productId = newProductId();
    const product = (brand: string) => ({ [productPath('a')]: productXml({ productId, brand }) });
    await imported(product('Secret'));
    const token = await stack.token(OTHER_COMPANY);
    const answer = await tryOut(await zipOf(product('Ours')), { token });
    expect(diffOf(answer)).toMatchObject({
      patch: '',
      left_out: 'The last submission of the product was imported by another client.',
    });
    expect(JSON.stringify(answer.body)).not.toContain('Secret');
  });
});
