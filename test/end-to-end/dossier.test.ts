/** The dossier of a product: what it holds, whose it is, and how it is checked. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createDossiers } from '../../src/archive/dossier.ts';
import { MANIFEST, MANIFEST_SIGNATURE } from '../../src/contract/dossier.ts';
import { connectionTo, run } from '../support/command.ts';
import { createdFile, newImport } from '../support/database.ts';
import {
  attachmentPath,
  attachmentXml,
  newProductId,
  productPath,
  productXml,
} from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { tokenOf } from '../support/tokens.ts';
import { download, finished, upload } from '../support/upload.ts';
import { unzip, zipOf } from '../support/zip.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const stack = await startStack({ env: { DOSSIER_SIGNING_KEY: pem.replaceAll('\n', '\\n') } });
const execute = promisify(execFile);
const LEAFLET = '%PDF leaflet';

const command = (...args: string[]) => run([...args, ...connectionTo(stack)]);

async function importProduct(productId: string, brand: string, token?: string) {
  const xml = productXml({ productId, brand });
  const zip = await zipOf({
    [productPath('a<b>')]: xml,
    [attachmentPath('leaflet')]: attachmentXml(LEAFLET, { fileName: '&lt;img src=x&gt;.pdf' }),
  });
  const { body } = await upload(stack, zip, { token });
  if (token === undefined) await finished(stack, body.data.id);
  return { importId: body.data.id, submissionId: body.data.submissions[0]?.id ?? 0, xml };
}

async function dossierOf(productId: string, { token, query = '' }: { token?: string; query?: string } = {}) {
  const path = `/regulator/products/${productId}/dossier${query}`;
  const answer = await download(stack, path, { token });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { answer, bytes, files: answer.ok ? await unzip(bytes) : new Map<string, Buffer>() };
}

const jsonIn = (files: Map<string, Buffer>, path: string) => JSON.parse(String(files.get(path)));

async function saved(bytes: Buffer): Promise<string> {
  const file = join(await temporaryDirectory(), 'dossier.zip');
  await writeFile(file, bytes);
  return file;
}

describe('a dossier', () => {
  it('has every submission with its file, content, attachments, answers and events', async () => {
    const productId = newProductId();
    const first = await importProduct(productId, 'First');
    const second = await importProduct(productId, 'Second');
    const { answer, files } = await dossierOf(productId);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="dossier-${productId}.zip"`);
    const paths = [...files.keys()];
    // The same attachment is there once.
    expect(paths).toEqual([
      expect.stringMatching(/^attachments\/[0-9a-f]{64}\.pdf$/),
      ...[second, first].flatMap(({ submissionId: id }) =>
        ['product.xml', 'content.json', 'record.json'].map((name) => `submissions/${id}/${name}`),
      ),
      'index.html',
      MANIFEST,
      MANIFEST_SIGNATURE,
    ]);
    expect(String(files.get(paths[0] ?? ''))).toBe(LEAFLET);
    for (const { submissionId, xml, importId } of [first, second]) {
      expect(String(files.get(`submissions/${submissionId}/product.xml`))).toBe(xml);
      const record = jsonIn(files, `submissions/${submissionId}/record.json`);
      expect(record).toMatchObject({
        id: submissionId,
        case_id: expect.stringMatching(/^CASE-/),
        status: 'regulator_inserted',
        zip_import_id: { id: importId },
        regulator_data: { submission_date: expect.stringMatching(/\d{4}/) },
        client_id: 'demo-client',
        queue_result: { status: 202 },
        product_file: { name: 'a<b>.xml', path: `submissions/${submissionId}/product.xml` },
        attachments: [{ step: 'design', sent_at: expect.any(String), path: paths[0] }],
      });
      expect(record.audit_events.map((event: { action: string }) => event.action)).toEqual(
        expect.arrayContaining([
          'import.created',
          'submission.regulator_inserting',
          'submission.regulator_inserted',
        ]),
      );
      const times = record.audit_events.map((event: { at: string }) => event.at);
      expect(times).toEqual(times.toSorted());
      const content = jsonIn(files, `submissions/${submissionId}/content.json`);
      expect(JSON.stringify(content.sections.product_presentation)).toMatch(/First|Second/);
    }
    const page = String(files.get('index.html'));
    expect(page).toContain(`Dossier of product ${productId}`);
    expect(page).toContain('&lt;img src=x&gt;.pdf');
    expect(page).not.toContain('<img');
  });

  it('is in the audit trail, once an hour', async () => {
    const productId = newProductId();
    await importProduct(productId, 'A');
    for (let n = 0; n < 2; n += 1) expect((await dossierOf(productId)).answer.status).toBe(200);
    const events = await stack.sql(
      `select actor, detail from audit_event where action = 'product.dossier_read' and detail->>'product_id' = '${productId}'`,
    );
    const event = { actor: 'client:demo-client', detail: { product_id: productId } };
    expect(events).toEqual([event]);
  });

  it('names what retention has removed, and keeps the content', async () => {
    const productId = newProductId();
    const { importId, submissionId } = await importProduct(productId, 'Gone');
    await stack.sql(
      `update zip_import set archive_removed_at = '2026-02-03T04:05:06Z' where id = ${importId}`,
    );
    await stack.sql(`update submission set raw_xml = null where id = ${submissionId}`);
    await stack.sql(
      `update attachment set storage_key = storage_key || 'x', sha256 = repeat('f', 64) where zip_import_id = ${importId}`,
    );
    await stack.sql(
      `update submission_attachment set attachment_row_id = (select id from attachment where zip_import_id = ${importId}) where submission_id = ${submissionId}`,
    );
    const { files } = await dossierOf(productId);
    const folder = `submissions/${submissionId}`;
    expect([...files.keys()]).not.toContain(`${folder}/product.xml`);
    const manifest = String(files.get(MANIFEST));
    expect(manifest).toContain(`# Not stored any more: ${folder}/product.xml\n`);
    expect(manifest).toContain(`# Not stored any more: attachments/${'f'.repeat(64)}.pdf\n`);
    const record = jsonIn(files, `${folder}/record.json`);
    expect(record).toMatchObject({
      package_removed_at: '2026-02-03T04:05:06.000Z',
      product_file: { path: null, sha256: null },
      attachments: [{ path: null, file_name: '<img src=x>.pdf' }],
    });
    expect(JSON.stringify(jsonIn(files, `${folder}/content.json`))).toContain('Gone');
    const page = String(files.get('index.html'));
    expect(page.match(/not stored any more \(package removed 2026-02-03 04:05:06\)/g)).toHaveLength(2);
  });

  it('has only the submissions of its tenant; operators get all, and who has read them', async () => {
    const productId = newProductId();
    const mine = await importProduct(productId, 'Mine');
    const otherToken = await tokenOf(stack, 'other-client');
    const { importId, submissionId } = await importProduct(productId, 'Theirs', otherToken);
    await finished(stack, importId);
    await download(stack, `/regulator/submissions/${submissionId}/xml`);

    const own = await dossierOf(productId, { token: otherToken });
    const names = [...own.files.keys()].join();
    expect(names).toContain(`submissions/${submissionId}/`);
    expect(names).not.toContain(`submissions/${mine.submissionId}/`);
    const actionsIn = (files: Map<string, Buffer>) =>
      jsonIn(files, `submissions/${submissionId}/record.json`).audit_events.map(
        (event: { action: string }) => event.action,
      );
    expect(actionsIn(own.files)).not.toContain('submission.xml_read');
    expect(String(own.files.get('index.html'))).toContain('only operators see that');

    const all = await dossierOf(productId);
    expect([...all.files.keys()].join()).toContain(`submissions/${mine.submissionId}/`);
    expect(actionsIn(all.files)).toContain('submission.xml_read');

    const stranger = await dossierOf(productId, { token: await tokenOf(stack, 'stranger') });
    expect(stranger.answer.status).toBe(404);
    const powerless = await dossierOf(productId, { token: await tokenOf(stack, 'other-client', []) });
    expect(powerless.answer.status).toBe(403);
  });

  it('holds the newest submissions up to its size, and names the others', async () => {
    const productId = newProductId();
    const { reading, submissions, dossiers } = stack.database;
    const importIds = [1, 2, 3].map(() => newImport(stack.database));
    // The packages are read in the opposite order of their imports.
    for (const importId of (await Promise.all(importIds)).sort((a, b) => b - a))
      await reading.record(importId, null, [createdFile(productId)]);
    const { page } = await submissions.list({ productId }, { limit: 3 });
    const [newest, middle, oldest] = page.map(({ id }) => id) as [number, number, number];
    expect([newest < middle, middle < oldest]).toEqual([true, true]);

    const { files } = await dossierOf(productId, { query: `?before=${newest}` });
    expect([...files.keys()].filter((path) => path.endsWith('record.json'))).toEqual([
      `submissions/${middle}/record.json`,
      `submissions/${oldest}/record.json`,
    ]);

    // Each has three files of its own.
    const scope = (maxFiles: number, before?: number) => dossiers.scope({ productId, before }, maxFiles);
    expect(await scope(9)).toMatchObject({ submissions: 3, files: 9, before: null });
    expect(await scope(8)).toMatchObject({ submissions: 2, files: 6, before: middle });
    expect(await scope(1)).toMatchObject({ submissions: 1, files: 3, before: newest });
    expect(await scope(5, newest)).toMatchObject({ submissions: 1, before: middle });
    expect(await scope(5, middle)).toMatchObject({ submissions: 1, before: null });
    expect(await scope(5, oldest)).toBeNull();
  });
});

describe('the manifest', () => {
  it('is checked by sha256sum and openssl, with the public key that needs no login', async () => {
    const productId = newProductId();
    await importProduct(productId, 'A');
    const { files } = await dossierOf(productId);
    const directory = await temporaryDirectory();
    for (const [path, content] of files) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), content);
    }
    const key = await fetch(`${stack.gatewayUrl}/regulator/dossier-key`);
    expect(key.headers.get('content-type')).toBe('application/x-pem-file');
    await writeFile(join(directory, 'dossier-key.pem'), await key.text());
    // The command in docs/dossier.md.
    const documented = await readFile(new URL('../../docs/dossier.md', import.meta.url), 'utf8');
    const line = documented.match(/^openssl .+$/m)?.[0] ?? '';
    const [program = '', ...args] = line.split(' ');
    const options = { cwd: directory };
    expect((await execute(program, args, options)).stdout).toContain('Signature Verified Successfully');
    expect((await execute('sha256sum', ['--check', '--strict', MANIFEST], options)).stdout).not.toContain(
      'FAILED',
    );

    await writeFile(join(directory, MANIFEST), `${await readFile(join(directory, MANIFEST))} `);
    await expect(execute(program, args, options)).rejects.toThrow();
  });

  it('is checked by the command line, against the gateway or a stored key', async () => {
    const productId = newProductId();
    const { submissionId } = await importProduct(productId, 'A');
    const file = join(await temporaryDirectory(), 'd.zip');
    const downloaded = await command('dossier', productId, '-o', file);
    expect([downloaded.code, downloaded.stdout]).toEqual([0, expect.stringContaining('d.zip is written')]);
    const good = await command('dossier', 'verify', file);
    expect(good.stdout).toContain(`Dossier of product ${productId}`);
    expect(good.stdout).toContain('5 files match the manifest, 0 faults.');
    expect(good.stdout).toContain(`The manifest is signed with the key of ${stack.gatewayUrl}.`);
    expect(good.code).toBe(0);

    const stored = join(await temporaryDirectory(), 'key.pem');
    const another = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    await writeFile(stored, another);
    const wrong = await command('dossier', 'verify', file, '--key', stored);
    expect([wrong.code, wrong.stdout]).toEqual([
      5,
      expect.stringContaining(`NOT signed with the key of ${stored}`),
    ]);

    const files = Object.fromEntries(await unzip(await readFile(file)));
    const record = `submissions/${submissionId}/record.json`;
    const { [record]: _, ...rest } = files;
    const changed = { ...rest, 'index.html': 'changed', 'new.txt': 'added' };
    const bad = await command('dossier', 'verify', await saved(await zipOf(changed)));
    expect(bad.stdout).toContain(`FAULT ${record}: is missing`);
    expect(bad.stdout).toContain('FAULT index.html: was changed');
    expect(bad.stdout).toContain('FAULT new.txt: is not in the manifest');
    expect(bad.code).toBe(5);

    const whole = await readFile(file);
    const damaged = (name: string) => {
      const start = whole.indexOf(name) + name.length;
      return saved(
        Buffer.concat([whole.subarray(0, start), Buffer.alloc(8, 0xff), whole.subarray(start + 8)]),
      );
    };
    const harmed = await command('dossier', 'verify', await damaged('index.html'));
    expect(harmed.stdout).toMatch(
      /^FAULT index\.html: cannot be read \(.+\)\n4 files match the manifest, 1 faults\.$/m,
    );
    expect(harmed.code).toBe(5);
    const unmarked = await command('dossier', 'verify', await damaged(MANIFEST));
    expect(unmarked.stdout).toMatch(
      /^FAULT manifest\.sha256: cannot be read \(.+\)\n0 files match the manifest, 1 faults\.$/m,
    );
    expect(unmarked.code).toBe(5);

    const directory = whole.lastIndexOf('index.html') - 46;
    const lost = Buffer.from(whole).fill(0, directory, directory + 4);
    const unlisted = await command('dossier', 'verify', await saved(lost));
    expect([unlisted.code, unlisted.stderr]).toEqual([2, expect.stringContaining('cannot be read as a ZIP')]);

    const { [MANIFEST_SIGNATURE]: __, ...unsigned } = files;
    const bare = await command('dossier', 'verify', await saved(await zipOf(unsigned)));
    expect([bare.code, bare.stdout]).toEqual([5, expect.stringContaining('is not signed')]);

    expect((await command('dossier', 'verify', await saved(await zipOf({ a: 'a' })))).code).toBe(2);
    expect((await command('dossier', 'verify', await saved(Buffer.from('no ZIP')))).code).toBe(2);
  });
});

it('without a key, the manifest says that it is not signed', async () => {
  const dossiers = createDossiers(null);
  async function* one() {
    yield { path: 'a.txt', content: Readable.from(['a']) };
  }
  const files = await unzip(await buffer(dossiers.write('Dossier', one)));
  expect([...files.keys()]).toEqual(['a.txt', MANIFEST]);
  expect(String(files.get(MANIFEST))).toMatch(/^# Dossier\n# Not signed: .+\n[0-9a-f]{64} {2}a\.txt\n$/);
  expect(dossiers.publicKey).toBeNull();
});
