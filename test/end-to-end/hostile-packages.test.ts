/** Hostile packages through the whole service: refused with the specific reason, without a trace in the archive. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type EntrySpec, writeZip } from '../archive/support/zip-writer.ts';
import { eventually } from '../support/eventually.ts';
import { filesBelow } from '../support/files-below.ts';
import {
  attachmentPath,
  attachmentXml,
  newProductId,
  productPath,
  productXml,
} from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished, upload } from '../support/upload.ts';

const MIB = 1024 * 1024;
/** No file may ever have this name. */
const EVIL = `evil-${process.pid}`;

const stack = await startStack();

const good = (name = 'good'): EntrySpec => ({
  name: productPath(name),
  content: productXml(),
  deflated: true,
});

async function requireNoTrace(): Promise<void> {
  const archive = join(stack.config.dataDir, 'archive');
  const stored = (await filesBelow(archive)).map((path) => path.slice(archive.length + 1));
  for (const path of stored)
    expect(path).toMatch(
      /^(?:packages\/\d{4}\/\d\d\/[0-9a-f-]{36}\.zip|attachments\/[0-9a-f]{2}\/[0-9a-f]{64})$/,
    );
  const beside = await readdir(dirname(stack.config.dataDir));
  for (const path of [...stored, ...beside, ...(await filesBelow(stack.config.dataDir))])
    expect(path).not.toContain(EVIL);
}

/** The client gets its answer before the attachments are removed. */
const attachmentsGone = () => eventually(async () => (await stack.count('attachment')) === 0);

const bombBytes = deflateRawSync(Buffer.alloc(100 * MIB));
/** Refused by the directory, during the unpacking, and after products were recorded. Unit tests have every kind. */
const hostile: [title: string, entries: () => EntrySpec[], reason: RegExp][] = [
  [
    'path traversal',
    () => [good(), { name: `root/export/../../../${EVIL}.xml`, content: 'x' }],
    /entry "root\/export\/\.\.\/\.\.\/\.\.\/evil-\d+\.xml".*relative path/,
  ],
  [
    'a bomb that is declared as small',
    () => [good(), { name: attachmentPath('bomb'), deflated: true, data: bombBytes, sizeBytes: 150_000 }],
    /bomb\.xml" is damaged \(it is larger than the declared 150000 bytes\)/,
  ],
  [
    'an attachment that is damaged at its end',
    () => [
      good(),
      {
        name: attachmentPath('damaged'),
        deflated: true,
        content: attachmentXml('ABC'.repeat(500_000), { fileName: `../../${EVIL}` }),
        crc32: 1,
      },
    ],
    /damaged\.xml" is damaged \(its checksum does not match\)/,
  ],
  [
    'a product that is damaged, behind good ones that are recorded',
    () => [...Array.from({ length: 40 }, (_, n) => good(`${n}`)), { ...good('damaged'), crc32: 1 }],
    /damaged\.xml" is damaged \(its checksum does not match\)/,
  ],
];

describe('a hostile package is answered with 500 and the reason, and leaves nothing', () => {
  it.each(hostile)('%s', async (_title, entries, reason) => {
    const answer = await upload(stack, writeZip({ entries: entries() }));
    expect(answer.status).toBe(500);
    expect(answer.body.status).toBe('error');
    expect(answer.body.message).toMatch(/^Invalid submission ZIP: /);
    expect(answer.body.message).toMatch(reason);
    expect(await stack.sql('select * from submission')).toEqual([]);
    await attachmentsGone();
    const [latest] = await stack.sql<{ failure_reason: string }>(
      'select status, failure_reason from zip_import order by id desc limit 1',
    );
    expect(latest).toMatchObject({ status: 'failed', failure_reason: answer.body.message });
    expect(stack.simulator.simulation.state.cases).toEqual([]);
    await requireNoTrace();
  });
});

it('an attachment is removed with its content if a product behind it is damaged', async () => {
  const attachment = { name: attachmentPath('good'), content: attachmentXml('kept no longer') };
  const entries = [attachment, { ...good('damaged'), crc32: 1 }];
  expect((await upload(stack, writeZip({ entries }))).status).toBe(500);
  await attachmentsGone();
  expect(await filesBelow(join(stack.config.dataDir, 'archive', 'attachments'))).toEqual([]);
});

describe('hostile files in a good package', () => {
  it('fail alone; the other files are imported', async () => {
    const productId = newProductId();
    const plain = productXml();
    const product = (name: string, content: string): EntrySpec => ({
      name: productPath(name),
      content,
      deflated: true,
    });
    const entries = [
      product(
        'doctype',
        plain.replace(/<\?xml.*?\?>/, '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'),
      ),
      product('deep', '<a>'.repeat(40_000)),
      product('wide', plain.replace('<Design>', `${'<a/>'.repeat(1_000_000)}<Design>`)),
      product('giant', plain.replace('>Brand<', `>${'x'.repeat(5 * MIB)}<`)),
      product('attribute', plain.replace('<Design>', `<Design x="${'y'.repeat(3 * MIB)}">`)),
      product('garbage', '\0\ufffe\u0001'),
      product('good', productXml({ productId })),
    ];
    const noise: EntrySpec = { name: 'root/export/noise.bin', content: Buffer.alloc(2 * MIB, 'noise!') };
    const answer = await upload(stack, writeZip({ entries: [...entries, noise] }));
    expect(answer.status).toBe(200);
    expect(answer.body.data.zip_import).toMatchObject({ extracted_xml_files: 7, skipped_count: 0 });
    expect(answer.body.data.zip_import.created_submissions.map(({ product_id }) => product_id)).toEqual([
      productId,
    ]);
    expect(answer.body.data.zip_import.failed).toMatchObject([
      { xml_file: 'doctype.xml', error: expect.stringContaining('a DOCTYPE is not accepted') },
      { xml_file: 'deep.xml', error: expect.stringContaining('nested more than 64 levels deep') },
      {
        xml_file: 'wide.xml',
        error: expect.stringMatching(/more than 50000 elements|at most 4194304 are accepted/),
      },
      {
        xml_file: 'giant.xml',
        error: expect.stringMatching(/^the file has 5\d{6} bytes; at most 4194304/),
      },
      { xml_file: 'attribute.xml', error: expect.stringContaining('longer than 65536 characters') },
      { xml_file: 'garbage.xml', error: expect.stringMatching(/encoding|not well-formed/) },
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('root:');
    await finished(stack, answer.body.data.id);
    await requireNoTrace();
  });
});
