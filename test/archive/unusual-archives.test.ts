/** Archives that few tools write, but that are all right: every file is read as it was packed. */
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openPackage, type PackageReader } from '../../src/archive/package-reader.ts';
import { gzipped, unpacked } from '../../src/archive/packed-file.ts';
import { storedBytes } from './support/stored-bytes.ts';
import { type EntrySpec, writeZip, type ZipSpec } from './support/zip-writer.ts';

const product = (name: string, root = 'root') => `${root}/export/ecigarette-product-submissions/${name}.xml`;
const text = '<product/>'.repeat(100);
const noise = randomBytes(300_000);
const entries: EntrySpec[] = [
  { name: product('a'), content: text, deflated: true },
  { name: product('b'), content: noise },
  { name: product('c'), content: '' },
];
const expected = { a: Buffer.from(text), b: noise, c: Buffer.alloc(0) };
const each = (more: Partial<EntrySpec>): ZipSpec => ({
  entries: entries.map((entry) => ({ ...entry, ...more })),
});

async function contentsOf(reader: PackageReader): Promise<Record<string, Buffer>> {
  const contents: Record<string, Buffer> = {};
  for (const file of reader.files) {
    const inPieces = Buffer.concat(await Array.fromAsync(reader.pieces(file)));
    const packed = await reader.packed(file);
    const atOnce = unpacked(packed);
    expect(inPieces.equals(atOnce)).toBe(true);
    expect(gunzipSync(gzipped(packed, atOnce)).equals(atOnce)).toBe(true);
    contents[file.name.replace('.xml', '')] = atOnce;
  }
  return contents;
}

const before = Buffer.from('MZ this is a program that unpacks itself\r\n'.repeat(50));
const cases: [title: string, spec: ZipSpec][] = [
  ['stored and deflated', { entries }],
  ['deflated, empty file included', each({ deflated: true })],
  ['stored', each({ deflated: false })],
  ['descriptors with a signature', each({ descriptor: 'with signature' })],
  ['descriptors without a signature', each({ descriptor: 'without signature', deflated: true })],
  ['ZIP64 entries', each({ zip64: true })],
  ['ZIP64 entries and end', { ...each({ zip64: true }), zip64: true }],
  ['ZIP64 end only', { entries, zip64: true }],
  ['ZIP64 with descriptors', { ...each({ zip64: true, descriptor: 'with signature' }), zip64: true }],
  ['bytes in front that positions do not count', { entries, before }],
  ['bytes in front that positions count', { entries, before, countsBefore: true }],
  ['bytes in front of ZIP64 that positions do not count', { ...each({ zip64: true }), before, zip64: true }],
  [
    'bytes in front of ZIP64 that positions count',
    { ...each({ zip64: true }), before, countsBefore: true, zip64: true },
  ],
  ['a comment', { entries, comment: 'made on a Friday' }],
  ['the longest comment', { entries, comment: 'x'.repeat(65_535) }],
  [
    'bytes in front, ZIP64 and a comment',
    { ...each({ zip64: true }), before, zip64: true, comment: 'x'.repeat(1000) },
  ],
  ['names that begin with ./', { entries: entries.map((entry) => ({ ...entry, name: `./${entry.name}` })) }],
  [
    'doubled slashes',
    { entries: entries.map((entry) => ({ ...entry, name: `${entry.name}`.replace('/', '//') })) },
  ],
  [
    'backslashes',
    { entries: entries.map((entry) => ({ ...entry, name: `${entry.name}`.replaceAll('/', '\\') })) },
  ],
  ['files with Unix modes', each({ mode: 0o100644 })],
  [
    'directory entries',
    { entries: [{ name: 'root/', mode: 0o040755 }, { name: 'root/export/' }, ...entries] },
  ],
  ['the same directory twice', { entries: [{ name: 'root/' }, { name: 'root/' }, ...entries] }],
  ['files beside the root', { entries: [{ name: 'readme.txt', content: 'x' }, ...entries] }],
  [
    'litter of a Mac',
    { entries: [...entries, { name: '__MACOSX/root/._a', content: 'x' }, { name: 'root/.DS_Store' }] },
  ],
  ['entries in another order than their data', { entries: entries.toReversed() }],
];

describe('read as it was packed', () => {
  it.each(cases)('%s', async (_title, spec) => {
    const reader = await openPackage(storedBytes(writeZip(spec)));
    expect(reader.root).toBe('root');
    expect(await contentsOf(reader)).toEqual(expected);
  });

  it('with gaps between entries', async () => {
    const [first, second] = [
      writeZip({ entries: entries.slice(0, 1) }),
      writeZip({ entries: entries.slice(1) }),
    ];
    // The first archive is in front of the second: the second's positions count it.
    expect(first.length).toBeGreaterThan(0);
    const zip = writeZip({ entries: entries.slice(1), before: first, countsBefore: true });
    expect(zip.length).toBe(first.length + second.length);
    const { a: _, ...rest } = expected;
    expect(await contentsOf(await openPackage(storedBytes(zip)))).toEqual(rest);
  });
});

describe('names', () => {
  it.each([
    ['UTF-8, declared', 'Ausfuhr Größe 日本', {}, 'Ausfuhr Größe 日本'],
    ['CP437', Buffer.from('Ausfuhr Gr\x94\xe1e', 'latin1'), {}, 'Ausfuhr Größe'],
    ['UTF-8 that is not declared: read as CP437, still one root', Buffer.from('Größe'), {}, 'Gr├╢├ƒe'],
  ])('in %s', async (_title, root, more, shown) => {
    const tail = Buffer.from('/export/ecigarette-product-submissions/a.xml');
    const name = typeof root === 'string' ? root + tail.toString() : Buffer.concat([root, tail]);
    const reader = await openPackage(storedBytes(writeZip({ entries: [{ name, content: text, ...more }] })));
    expect(reader.root).toBe(shown);
    expect(await contentsOf(reader)).toEqual({ a: Buffer.from(text) });
  });

  it('that have a meaning in JavaScript are ordinary', async () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const spec = { entries: names.map((name) => ({ name: product(name, '__proto__'), content: name })) };
    const reader = await openPackage(storedBytes(writeZip(spec)));
    expect(reader.root).toBe('__proto__');
    expect(reader.files.map(({ name }) => name)).toEqual(names.map((name) => `${name}.xml`));
  });
});

describe('a package of 20,000 products', () => {
  it('is opened without reading its data', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ name: product(`${index}`) }));
    const stored = storedBytes(writeZip({ entries: many }));
    const reader = await openPackage(stored);
    expect(reader.files).toHaveLength(20_000);
    expect(stored.bytesRead).toBeLessThan(stored.sizeBytes);
    await reader.close();
    expect(stored.closed).toBe(true);
  });
});
