/**
 * A product file that failed is read, corrected and sent alone: a new import, and an audit event with both digests. All
 * failed files are a repair pack, ready to be corrected and uploaded again.
 */
import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import type { DryRunResult, ImportResult } from '../../src/contract/types.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId, packageOf, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { tokenOf } from '../support/tokens.ts';
import { type Answer, call, download, finished, type UploadOptions, upload } from '../support/upload.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { unzip, zipOf } from '../support/zip.ts';

const receiver = await startWebhookReceiver();
const stack = await startStack({ env: { WEBHOOK_HOSTS: receiver.host } });
const { imports } = stack;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Failing {
  id: number;
  productId: string;
  /** Rejected by the regulator. */
  rejected: string;
  xml: string;
}

/** An import with a malformed file, a rejected one, and a good one. */
async function failingImport(): Promise<Failing> {
  const [productId, rejected, good] = [newProductId(), newProductId(), newProductId()];
  imports.reject(rejected);
  const xml = productXml({ productId }).replace('</EcigProductSubmission>', '</Wrong>');
  const files = {
    [productPath('malformed')]: xml,
    [productPath('rejected')]: productXml({ productId: rejected }),
    [productPath('good')]: productXml({ productId: good }),
  };
  const { id } = (await upload(stack, await zipOf(files))).body.data;
  await finished(stack, id);
  imports.restoreRegulator();
  return { id, productId, rejected, xml };
}

function mend<D = ImportResult>(
  { id, query = '', ...options }: UploadOptions & { id: number },
  fileName: string,
  xml: string,
): Promise<Answer<D>> {
  const sent = { ...options, fileName, query: `?mends=${id}${query}` };
  return upload(stack, new TextEncoder().encode(xml), sent);
}

const failedFile = (id: number, name: string, token?: string) =>
  download(stack, `/regulator/package-imports/${id}/failed-files/${name}`, { token });

describe('a product file that failed', () => {
  it('is read as it was uploaded, checked, and imported alone after its correction', async () => {
    const { id, productId, xml } = await failingImport();
    const read = await failedFile(id, 'malformed.xml');
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'application/xml']);
    expect(await read.text()).toBe(xml);

    const still = await mend<DryRunResult>({ id, query: '&dry_run=true' }, 'malformed.xml', xml);
    expect(still.body.data.products).toMatchObject([{ xml_file: 'malformed.xml', outcome: 'refused' }]);
    const corrected = productXml({ productId });
    const checked = await mend<DryRunResult>({ id, query: '&dry_run=true' }, 'malformed.xml', corrected);
    expect(checked.body.data.products).toMatchObject([{ product_id: productId, outcome: 'new' }]);

    const headers = { 'Idempotency-Key': `mend-${id}` };
    const { status, body } = await mend({ id, headers }, 'malformed.xml', corrected);
    expect(status).toBe(200);
    expect(body.data.submissions).toMatchObject([{ product_id: productId }]);
    const report = await finished(stack, body.data.id);
    expect(report.submissions).toMatchObject([{ product_id: productId, status: 'regulator_inserted' }]);
    expect(imports.casesOf(productId)).toHaveLength(1);
    const [created] = await stack.sql<{ actor: string; detail: object }>(
      `select actor, detail from audit_event where import_id = ${body.data.id} and action = 'import.created'`,
    );
    expect(created?.detail).toMatchObject({
      mends: {
        import_id: id,
        xml_file: 'malformed.xml',
        sha256_before: sha256(xml),
        sha256_after: sha256(corrected),
      },
    });
    // The answer is the first one, also after retention has removed the failed file.
    await stack.sql(`update zip_import set archive_removed_at = now() where id = ${id}`);
    const again = await mend({ id, headers }, 'malformed.xml', corrected);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body.data.id).toBe(body.data.id);
    const other = await mend({ id, headers }, 'malformed.xml', `${corrected}\n`);
    expect(other.status).toBe(422);
  });

  it('may have blanks and invisible characters in its name', async () => {
    const xml = productXml({ productId: newProductId() }).replace('</EcigProductSubmission>', '</Wrong>');
    const names = ['two  blanks', 'no\u00a0break', 'soft\u00adhyphen'];
    const zip = await zipOf(Object.fromEntries(names.map((name) => [productPath(name), xml])));
    const { id } = (await upload(stack, zip)).body.data;
    for (const name of names) {
      const read = await failedFile(id, encodeURIComponent(`${name}.xml`));
      expect(await read.text(), name).toBe(xml);
      const { status, body } = await mend({ id }, `${name}.xml`, xml);
      expect(status, name).toBe(200);
      expect(body.data.zip_import.failed).toMatchObject([{ xml_file: `${name}.xml` }]);
    }
  });

  it('may be one that the regulator rejected', async () => {
    const { id, rejected } = await failingImport();
    const xml = await (await failedFile(id, 'rejected.xml')).text();
    expect(xml).toBe(productXml({ productId: rejected }));
    const corrected = xml.replace('</EcigProductSubmission>', '<!-- corrected --></EcigProductSubmission>');
    const { body } = await mend({ id }, 'rejected.xml', corrected);
    const [product] = (await finished(stack, body.data.id)).submissions;
    expect(product).toMatchObject({ product_id: rejected, status: 'regulator_inserted' });
  });
});

describe('a mend is refused', () => {
  it('of a file that has not failed, is unknown, or has another extension', async () => {
    const { id, productId } = await failingImport();
    const xml = productXml({ productId });
    const unknown = { status: 404, body: { data: { code: 'nothing_to_repair', id } } };
    for (const query of ['', '&dry_run=true'])
      expect(await mend({ id, query }, 'good.xml', xml)).toMatchObject(unknown);
    for (const name of ['good.xml', '%00.xml']) expect((await failedFile(id, name)).status).toBe(404);
    expect(await mend({ id: 999_999 }, 'malformed.xml', xml)).toMatchObject({
      status: 404,
      body: { data: { code: 'not_found' } },
    });
    const { status, body } = await mend({ id }, 'package.zip', xml);
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'The file must have the extension .xml; it is named "package.zip".',
    });
  });
});

describe('of two people who mend one product', () => {
  it('the second is refused: the correction of the first one would be overwritten', async () => {
    const { id, rejected } = await failingImport();
    const corrected = (brand: string) => productXml({ productId: rejected, brand });
    const first = await mend({ id }, 'rejected.xml', corrected('First'));
    expect(first.status).toBe(200);
    const second = await mend({ id }, 'rejected.xml', corrected('Second'));
    expect(second).toMatchObject({ status: 404, body: { data: { code: 'nothing_to_repair', id } } });
  });
});

/** Holds the records of new imports. Returns a function that waits until two are held, and releases them. */
async function holdTwoImports(): Promise<() => Promise<void>> {
  await stack.sql('create table held_imports ()');
  await stack.sql('insert into held_imports default values');
  await stack.sql(
    `create function hold_import() returns trigger language plpgsql as $$ begin
       while exists (select from held_imports) loop perform pg_sleep(0.05); end loop;
       return new;
     end $$`,
  );
  await stack.sql(
    'create trigger hold_import before insert on zip_import for each row execute function hold_import()',
  );
  return async () => {
    const held = `select from pg_stat_activity where wait_event = 'PgSleep'`;
    await eventually(async () => (await stack.sql(held)).length === 2);
    await stack.sql('delete from held_imports');
  };
}

describe('of two people who mend one product at the same moment', () => {
  it('one correction is inserted; the other gets 409, and can follow only if it is the newer one', async () => {
    const { id, rejected } = await failingImport();
    imports.takeRegulatorAway();
    const release = await holdTwoImports();
    const corrected = (brand: string) => productXml({ productId: rejected, brand });
    const answers = ['First', 'Second'].map((brand) => mend({ id }, 'rejected.xml', corrected(brand)));
    await release();
    const both = (await Promise.all(answers)).map(({ body }) => body.data).toSorted((a, b) => a.id - b.id);
    const results = both.flatMap(({ queue }) => queue.results);
    expect(results.map(({ status }) => status).toSorted()).toEqual([202, 409]);
    imports.restoreRegulator();
    const reports = await Promise.all(both.map((data) => finished(stack, data.id)));
    const newerWaits = results[1]?.status === 409;
    expect(reports.flatMap(({ submissions }) => submissions)).toMatchObject(
      newerWaits
        ? [{ status: 'regulator_inserted' }, { status: 'local', actions: ['regulator-insert'] }]
        : [{ status: 'local', actions: [] }, { status: 'regulator_inserted' }],
    );
  });
});

describe('of two people who mend one file that could not be read', () => {
  it('the second is refused as soon as the first correction is queued', async () => {
    const productId = newProductId();
    const zip = await zipOf({ [productPath('refused')]: productXml({ productId, type: '77' }) });
    const { id } = (await upload(stack, zip)).body.data;
    const corrected = (brand: string) => productXml({ productId, brand });
    expect((await mend({ id }, 'refused.xml', productXml({ productId, type: '88' }))).status).toBe(200);
    expect((await mend({ id }, 'refused.xml', corrected('First'))).status).toBe(200);
    const second = await mend({ id }, 'refused.xml', corrected('Second'));
    expect(second).toMatchObject({ status: 404, body: { data: { code: 'nothing_to_repair', id } } });
    expect((await failedFile(id, 'refused.xml')).status).toBe(404);
    expect((await download(stack, `/regulator/package-imports/${id}/repair-pack`)).status).toBe(404);
  });
});

describe('an operator who mends a file of a client', async () => {
  const token = await tokenOf(stack, 'the-operator', Object.values(PERMISSIONS));

  it('is refused under a key of another request of its own, and leaves the keys of the owner alone', async () => {
    const { id, productId } = await failingImport();
    const headers = { 'Idempotency-Key': 'operator-and-owner' };
    expect((await upload(stack, await packageOf({}), { token, headers })).status).toBe(200);
    for (const _ of [1, 2])
      expect(await mend({ id, token, headers }, 'malformed.xml', productXml({ productId }))).toMatchObject({
        status: 422,
        body: { data: { code: 'idempotency_key_reused' } },
      });
    expect((await upload(stack, await packageOf({}), { headers })).status).toBe(200);
  });

  it('needs the webhook of the owner for a webhook_url, because its secret signs the message', async () => {
    const { id, productId } = await failingImport();
    await call(stack, 'PUT', '/regulator/webhook', { token, json: { url: null } });
    const body = new FormData();
    body.set('file', new Blob([productXml({ productId })]), 'malformed.xml');
    body.set('webhook_url', receiver.url);
    const answer = await call(stack, 'POST', `/regulator/package-import?mends=${id}`, { token, body });
    expect(answer).toMatchObject({ status: 409, body: { data: { code: 'webhook_missing' } } });
  });
});

async function repairPack(importId: number) {
  const response = await download(stack, `/regulator/package-imports/${importId}/repair-pack`);
  return { response, zip: Buffer.from(await response.arrayBuffer()) };
}

/** The files of the pack as texts, in archive order. */
async function textsIn(zip: Buffer): Promise<Map<string, string>> {
  const files = await unzip(zip);
  return new Map(Array.from(files, ([name, bytes]) => [name, bytes.toString()]));
}

describe('a repair pack', () => {
  it('has the failed files with their reasons, and can be imported after corrections', async () => {
    const [good, refused, badType] = [newProductId(), newProductId(), newProductId()];
    imports.reject(refused);
    const xml = {
      good: productXml({ productId: good }),
      malformed: '<EcigProductSubmission><open>',
      refused: productXml({ productId: refused }),
      badType: productXml({ productId: badType, type: '77' }),
    };
    const zip = await zipOf(
      Object.fromEntries(Object.entries(xml).map(([name, content]) => [productPath(name), content])),
    );
    const { id } = (await upload(stack, zip)).body.data;
    const { submissions } = await finished(stack, id);
    imports.restoreRegulator();

    const { response, zip: pack } = await repairPack(id);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="repair-pack-${id}.zip"`);
    const files = await textsIn(pack);
    const root = productPath('x').split('/', 1)[0];
    expect([...files.keys()]).toEqual([
      `${root}/reasons.csv`,
      ...['malformed', 'refused', 'badType'].map((name) => productPath(name)),
    ]);
    for (const name of ['malformed', 'refused', 'badType'] as const)
      expect(files.get(productPath(name))).toBe(xml[name]);

    const reasons = parse(files.get(`${root}/reasons.csv`) ?? '', { bom: true, columns: true });
    const refusedId = submissions.find(({ product_id }) => product_id === refused)?.id;
    expect(reasons).toMatchObject([
      { xml_file: 'malformed.xml', product_id: '', submission_id: '', outcome: 'failed' },
      {
        xml_file: 'refused.xml',
        product_id: refused,
        submission_id: `${refusedId}`,
        outcome: 'regulator_insert_failed',
        reason: expect.stringContaining('Rejected on request'),
      },
      {
        xml_file: 'badType.xml',
        product_id: badType,
        outcome: 'failed',
        reason: expect.stringContaining('77'),
      },
    ]);

    files.set(productPath('malformed'), productXml());
    files.set(productPath('badType'), productXml({ productId: badType }));
    files.set(productPath('refused'), productXml({ productId: refused, brand: 'Mended' }));
    const mended = await upload(stack, await zipOf(Object.fromEntries(files)));
    expect(mended.body.message).toBe('Package ZIP imported and queued successfully.');
    const after = await finished(stack, mended.body.data.id);
    expect(after.submissions.map(({ status }) => status)).toEqual(Array(3).fill('regulator_inserted'));

    const left = await textsIn((await repairPack(id)).zip);
    expect([...left.keys()]).not.toContain(productPath('refused'));
  });

  it('has products that were not queued, and is missing when nothing failed', async () => {
    imports.takeRegulatorAway();
    const productId = newProductId();
    const first = await imports.importOne({ productId });
    const second = await imports.importOne({ productId, brand: 'Newer' });
    const files = await textsIn((await repairPack(second.importId)).zip);
    const csv = [...files.values()].find((content) => content.includes('xml_file')) ?? '';
    expect(parse(csv, { bom: true, columns: true })).toMatchObject([
      { product_id: productId, outcome: 'local', reason: expect.stringMatching(/already queued or running/) },
    ]);
    imports.restoreRegulator();
    await finished(stack, first.importId);
    const missing = await call(stack, 'GET', `/regulator/package-imports/${first.importId}/repair-pack`);
    expect(missing.status).toBe(404);
    expect(missing.body.message).toBe(
      `Package import ${first.importId} has no failed product file, or newer submissions of its products have been queued.`,
    );
  });
});
