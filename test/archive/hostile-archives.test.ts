/** Archives made to hurt, or too broken to read: refused with the specific reason, before anything suffers. */
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openPackage } from '../../src/archive/package-reader.ts';
import { unpacked } from '../../src/archive/packed-file.ts';
import { createProductFiles } from '../../src/archive/product-files.ts';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import { storedBytes } from './support/stored-bytes.ts';
import { type EntrySpec, extraField, writeZip, type ZipSpec } from './support/zip-writer.ts';

const MIB = 1024 * 1024;
const product = (name: string) => `root/export/ecigarette-product-submissions/${name}`;
const good: EntrySpec = { name: product('good.xml'), content: '<good/>', deflated: true };
const PLACE = product('bad.xml');
const bad = (spec: Partial<EntrySpec>): ZipSpec => ({
  entries: [good, { name: PLACE, content: '<bad/>', ...spec }],
});

/** Why the archive is refused when it is opened; its file is closed then, and none of its data was read. */
async function refusalOf(zip: Buffer): Promise<string> {
  const stored = storedBytes(zip);
  const error = await openPackage(stored).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InvalidPackage);
  expect(stored.closed).toBe(true);
  return (error as Error).message;
}

const directoryOnly: [title: string, spec: ZipSpec, reason: RegExp][] = [
  [
    'path traversal',
    bad({ name: '../evil.xml' }),
    /entry "\.\.\/evil\.xml" is damaged or unsafe \(invalid relative path/,
  ],
  [
    'traversal in the middle',
    bad({ name: 'root/export/../../../evil.xml' }),
    /"root\/export\/\.\.\/\.\.\/\.\.\/evil\.xml".*invalid relative path/,
  ],
  ['an absolute path', bad({ name: '/etc/passwd' }), /entry "\/etc\/passwd".*absolute path/],
  ['a drive letter', bad({ name: 'C:/windows/evil.xml' }), /entry "C:\/windows\/evil\.xml".*absolute path/],
  [
    'a drive letter behind ./',
    bad({ name: './C:/evil.xml' }),
    /entry "\.\/C:\/evil\.xml" has an unsafe name \(absolute path/,
  ],
  ['a drive letter with backslashes', bad({ name: 'C:\\windows\\evil.xml' }), /absolute path: C:\/windows/],
  ['traversal with backslashes', bad({ name: '..\\..\\evil.xml' }), /invalid relative path/],
  ['an absolute path with a backslash', bad({ name: '\\\\server\\share\\evil.xml' }), /absolute path/],
  [
    'traversal only in the Unicode name field',
    bad({ name: Buffer.from('harmless'), extra: unicodeName('harmless', '../evil.xml') }),
    /invalid relative path/,
  ],
  [
    'a NUL character in a name',
    bad({ name: 'root/export/a\0.xml' }),
    /entry "root\/export\/a\\u\{0\}\.xml" has a NUL character/,
  ],
  [
    'a name of 60 kB',
    bad({ name: product(`${'x'.repeat(60_000)}.xml`) }),
    /has a name of 6\d{4} bytes; at most 1024/,
  ],
  ['a symbolic link', bad({ mode: 0o120777 }), /bad\.xml" is a symbolic link; only files and directories/],
  ['a named pipe', bad({ mode: 0o010644 }), /bad\.xml" is a special file/],
  ['a device', bad({ mode: 0o060644 }), /bad\.xml" is a special file/],
  ['a socket', bad({ mode: 0o140644 }), /bad\.xml" is a special file/],
  ['an encrypted entry', bad({ flags: 1 }), /bad\.xml" is encrypted; send an archive without a password/],
  ['an encrypted entry of AES', bad({ flags: 1, method: 99 }), /bad\.xml" is encrypted/],
  ['a strongly encrypted entry', bad({ flags: 0x41 }), /bad\.xml".*strong encryption/],
  ['an encrypted directory', bad({ flags: 0x2000 }), /bad\.xml" is encrypted/],
  ['Deflate64', bad({ method: 9 }), /unsupported compression \(Deflate64\); use Deflate/],
  ['LZMA', bad({ method: 14 }), /unsupported compression \(LZMA\)/],
  ['Zstandard', bad({ method: 93 }), /unsupported compression \(Zstandard\)/],
  ['an unheard-of compression', bad({ method: 77 }), /unsupported compression \(method 77\)/],
  [
    'the same name twice',
    { entries: [good, good] },
    /the name "root\/export\/.*good\.xml" occurs more than once/,
  ],
  [
    'the same name twice, once behind ./',
    { entries: [good, { ...good, name: `./${product('good.xml')}` }] },
    /occurs more than once/,
  ],
  [
    'the same name twice, once with backslashes',
    { entries: [good, { ...good, name: product('good.xml').replaceAll('/', '\\') }] },
    /occurs more than once/,
  ],
  [
    'two entries of the same data',
    { entries: [good, { ...good, name: PLACE, headerStart: 0, withoutData: true }] },
    /good\.xml" and .*bad\.xml" overlap/,
  ],
  [
    'an entry in the middle of another',
    {
      entries: [
        { ...good, deflated: false, content: 'x'.repeat(500) },
        { ...good, name: PLACE, headerStart: 100, withoutData: true },
      ],
    },
    /overlap/,
  ],
  [
    'an entry that reaches into the directory',
    bad({ compressedBytes: 400, sizeBytes: 400 }),
    /bad\.xml" reaches beyond the archive's data/,
  ],
  [
    'a header position behind the end',
    bad({ headerStart: 1_000_000 }),
    /bad\.xml" reaches beyond the archive's data/,
  ],
  [
    'an entry said to be larger than any may be',
    bad({ deflated: true, sizeBytes: 1024 * MIB + 1 }),
    /bad\.xml" has 1073741825 bytes; at most 1073741824/,
  ],
  [
    'a ZIP64 entry said to have a petabyte',
    bad({ zip64: true, deflated: true, sizeBytes: 2 ** 50 }),
    /bad\.xml" has 1125899906842624 bytes/,
  ],
  [
    'an entry compressed 1000 times',
    bad({ deflated: true, content: Buffer.alloc(100 * MIB) }),
    /bad\.xml" is compressed \d{3,4} times .*; at most 200 times/,
  ],
  [
    'an entry of 0 bytes said to have 100 MiB',
    bad({ deflated: true, data: Buffer.alloc(0), sizeBytes: 100 * MIB }),
    /bad\.xml" is compressed infinitely/,
  ],
  [
    'stored sizes that differ',
    bad({ sizeBytes: 7 }),
    /bad\.xml" has 6 compressed bytes for 7 bytes of content; its sizes are wrong/,
  ],
  [
    'much data for no content',
    bad({ deflated: true, data: Buffer.alloc(200_000), sizeBytes: 0 }),
    /has 200000 compressed bytes for 0 bytes of content; its sizes are wrong/,
  ],
  [
    'a product of 200 MiB',
    bad({ deflated: true, data: Buffer.alloc(2 * MIB), sizeBytes: 200 * MIB }),
    /product file "bad\.xml" unpacks to 209715200 bytes/,
  ],
  [
    'an extra field that is longer than its place',
    bad({ extra: Buffer.from([1, 0, 200, 0]) }),
    /bad\.xml" is damaged or unsafe \(.*[Ee]xtra ?[Ff]ield/,
  ],
  [
    'fewer entries than the end record says',
    { entries: [good], end: { entries: 2 } },
    /the record of entry 2 is damaged|directory does not match its end record/,
  ],
  [
    'more entries than the end record says',
    { entries: [good, { ...good, name: PLACE }], end: { entries: 1 } },
    /the archive's central directory does not match its end record \(1 entries/,
  ],
  [
    'a directory of another size',
    { entries: [good], end: { directoryBytes: 40 } },
    /damaged|does not match its end record/,
  ],
  [
    'a directory beyond the end',
    { entries: [good], end: { directoryStart: 5_000_000 } },
    /the archive is damaged: its central directory is not at the offset/,
  ],
  [
    'a ZIP64 directory beyond the end',
    { entries: [good], zip64: true, end: { directoryStart: 5_000_000 } },
    /the archive is damaged: its central directory is not at the offset/,
  ],
  [
    'an absurd number of entries',
    { entries: [good], zip64: true, end: { entries: 4_000_000_000 } },
    /the archive has 4000000000 entries; at most 50000/,
  ],
  [
    'a directory of gigabytes',
    { entries: [good], zip64: true, end: { directoryBytes: 2 ** 33 } },
    /damaged|directory has 8589934592 bytes/,
  ],
  [
    'two end records that differ',
    { entries: [good], zip64: true, plainEnd: Buffer.from([1, 0, 1, 0, 46, 0, 0, 0, 9, 0, 0, 0]) },
    /the archive is damaged: its central directory is not at the offset/,
  ],
  [
    'one part of several',
    { entries: [good], end: { disk: 3 } },
    /the archive is split into several parts; send it as one file/,
  ],
  [
    'bytes behind the end',
    { entries: [good], behind: Buffer.from('more') },
    /it has bytes after its end, or bytes are missing/,
  ],
  [
    'an end record in the comment of another',
    { entries: [good], comment: `PK\x05\x06${'\0'.repeat(16)}\x09\0` },
    /it has bytes after its end, or bytes are missing/,
  ],
];

function unicodeName(raw: string, name: string): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt8(1, 0);
  header.writeUInt32LE(crc32(raw), 1);
  return extraField(0x7075, Buffer.concat([header, Buffer.from(name)]));
}

describe('refused when it is opened', () => {
  it.each(directoryOnly)('%s', async (_title, spec, reason) => {
    const message = await refusalOf(writeZip(spec));
    expect(message).toMatch(/^Invalid submission ZIP: /);
    expect(message).toMatch(reason);
    expect(message.length).toBeLessThan(500);
  });

  it.each([
    ['nothing at all', Buffer.alloc(0)],
    ['text', Buffer.from('This is no archive.')],
    ['an image', Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(5000, 'x'), 'latin1')],
    ['the first half of an archive', writeZip({ entries: [good] }).subarray(0, 60)],
    ['an archive without its last byte', writeZip({ entries: [good] }).subarray(0, -1)],
  ])('%s', async (_title, bytes) => {
    expect(await refusalOf(bytes)).toMatch(/not a ZIP archive, or a truncated ZIP archive|bytes are missing/);
  });

  it('an archive with a piece missing in the middle', async () => {
    const zip = writeZip({ entries: [{ ...good, deflated: false, content: 'x'.repeat(500) }] });
    const short = Buffer.concat([zip.subarray(0, 200), zip.subarray(300)]);
    expect(await refusalOf(short)).toMatch(
      /the archive is damaged: its central directory is not at the offset/,
    );
  });

  it('an empty archive', async () => {
    expect(await refusalOf(writeZip({ entries: [] }))).toMatch(/found none \(the archive is empty\)/);
  });

  it('many entries that are too large together, each of them allowed', async () => {
    const entries = Array.from({ length: 20 }, (_, index) => ({ ...good, name: `root/export/x/${index}` }));
    const sizes = { sizeBytes: 1024 * MIB, compressedBytes: 8 * MIB, withoutData: true };
    expect(await refusalOf(writeZip({ entries: entries.map((entry) => ({ ...entry, ...sizes })) }))).toMatch(
      /the archive unpacks to 21474836480 bytes; at most 17179869184/,
    );
  });

  it('many small bombs that are too large together', async () => {
    const entries = Array.from({ length: 20 }, (_, index) => ({
      ...good,
      name: `root/export/x/${index}`,
      data: Buffer.alloc(1000),
      sizeBytes: 10 * MIB,
    }));
    expect(await refusalOf(writeZip({ entries }))).toMatch(/the archive is compressed 10486 times/);
  });

  it('more entries than allowed, without reading the directory', async () => {
    const entries = Array.from({ length: 50_001 }, (_, index) => ({ name: `root/export/x/${index}` }));
    const stored = storedBytes(writeZip({ entries }));
    await expect(openPackage(stored)).rejects.toThrow(
      'the archive has 50001 entries; at most 50000 are accepted',
    );
    expect(stored.bytesRead).toBeLessThan(70_000);
    const atLimit = await openPackage(storedBytes(writeZip({ entries: entries.slice(1) })));
    await atLimit.close();
  });

  it('more products than allowed', async () => {
    const entries = Array.from({ length: 20_001 }, (_, index) => ({ name: product(`${index}.xml`) }));
    expect(await refusalOf(writeZip({ entries }))).toMatch(
      /the package has 20001 product files; at most 20000 are accepted/,
    );
    const atLimit = await openPackage(storedBytes(writeZip({ entries: entries.slice(1) })));
    expect(atLimit.files).toHaveLength(20_000);
    await atLimit.close();
  });

  it('a directory larger than allowed', async () => {
    const extra = extraField(0x9999, Buffer.alloc(60_000));
    const entries = Array.from({ length: 140 }, (_, index) => ({ name: product(`${index}.xml`), extra }));
    expect(await refusalOf(writeZip({ entries }))).toMatch(
      /the archive's central directory has 8\d{6} bytes; at most 8388608/,
    );
  });

  it('dozens of roots, of which only some are listed', async () => {
    const entries = Array.from({ length: 50 }, (_, index) => ({ name: `root${index}/x` }));
    expect(await refusalOf(writeZip({ entries }))).toMatch(
      /found multiple: root0, root1, .*, … \(50 in all\)/,
    );
  });

  it('names that would break a log or a terminal, escaped', async () => {
    const message = await refusalOf(writeZip(bad({ name: '../\u001b[31m\u202egpj.exe\n' })));
    expect(message).toContain('\\u{1b}[31m\\u{202e}gpj.exe');
  });
});

it('a stored package that has become unreadable is closed', async () => {
  const stored = storedBytes(Buffer.from('This is no archive.'));
  const read = createProductFiles({ open: async () => stored }).read('key', 0);
  await expect(read).rejects.toThrow('not a ZIP archive');
  expect(stored.closed).toBe(true);
});

describe('the memory of a directory', () => {
  const entries = [good, ...Array.from({ length: 20 }, (_, n) => ({ name: `root/export/x/${n}` }))];

  it('is reserved before it is read, and released when the package is closed', async () => {
    const stored = storedBytes(writeZip({ entries }));
    const held: number[] = [];
    let readBefore = 0;
    const reader = await openPackage(stored, async (bytes) => {
      readBefore = stored.bytesRead;
      held.push(bytes);
      return () => void held.pop();
    });
    expect(readBefore).toBeLessThan(70_000);
    expect(held[0]).toBeGreaterThan(21 * 400);
    await reader.close();
    expect(held).toEqual([]);
  });

  it('is released by a package that is refused', async () => {
    const held: number[] = [];
    const opened = openPackage(storedBytes(writeZip({ entries: [good, good] })), async (n) => {
      held.push(n);
      return () => void held.pop();
    });
    await expect(opened).rejects.toThrow('occurs more than once');
    expect(held).toEqual([]);
  });
});

describe('refused when the file is read', () => {
  const content = Buffer.from('<bad/>'.repeat(50));
  const deflated = deflateRawSync(content);
  const cases: [title: string, spec: Partial<EntrySpec>, reason: RegExp][] = [
    ['a wrong checksum, stored', { crc32: 1 }, /its checksum does not match/],
    ['a wrong checksum, deflated', { deflated: true, crc32: 1 }, /its checksum does not match/],
    [
      'a wrong checksum in a descriptor as well',
      { deflated: true, crc32: 1, descriptor: 'with signature' },
      /its checksum does not match/,
    ],
    ['more than was declared', { deflated: true, sizeBytes: 10 }, /it is larger than the declared 10 bytes/],
    [
      'a bomb declared as small',
      { deflated: true, data: deflateRawSync(Buffer.alloc(64 * MIB)), sizeBytes: 100_000 },
      /it is larger than the declared 100000 bytes/,
    ],
    [
      'nothing was declared',
      { deflated: true, sizeBytes: 0, data: deflated },
      /larger than the declared 0 bytes/,
    ],
    [
      'less than was declared',
      { deflated: true, sizeBytes: 1000 },
      /it has 300 bytes instead of the declared 1000/,
    ],
    [
      'data that ends too early',
      { deflated: true, data: deflated.subarray(0, -5) },
      /unexpected end of file/,
    ],
    [
      'data behind the compressed data',
      { deflated: true, data: Buffer.concat([deflated, Buffer.alloc(10)]) },
      /its compressed data ends after \d+ of \d+ bytes/,
    ],
    [
      'data that is no Deflate',
      { deflated: true, data: Buffer.from('this is no deflate'), sizeBytes: 300 },
      /is damaged \(.*(?:invalid|incorrect)/,
    ],
    [
      'another name in front of the data',
      { header: { name: product('BAD.xml') } },
      /its name differs from that in the central directory/,
    ],
    [
      'another compression in front of the data',
      { header: { method: 8 } },
      /its compression differs from that in the central directory/,
    ],
    [
      'another size in front of the data',
      { deflated: true, header: { sizeBytes: 5 } },
      /its sizes differ from those in the central directory/,
    ],
    ['encryption only in front of the data', { header: { flags: 0x801 } }, /is encrypted/],
    ['no header in front of the data', { header: { signature: 0 } }, /its local header is missing/],
    [
      'sizes that only the data contradicts',
      { deflated: true, descriptor: 'with signature', sizeBytes: 299 },
      /larger than the declared 299 bytes/,
    ],
  ];

  describe.each(['all at once', 'in pieces'] as const)('%s', (how) => {
    it.each(cases)('%s', async (_title, spec, reason) => {
      const reader = await openPackage(storedBytes(writeZip(bad({ content, ...spec }))));
      const [first, second] = reader.files;
      if (!first || !second) throw new Error('There are two files');
      const read = async (file: typeof first) =>
        how === 'in pieces'
          ? Buffer.concat(await Array.fromAsync(reader.pieces(file)))
          : unpacked(await reader.packed(file));
      expect((await read(first)).toString()).toBe('<good/>');
      const error: unknown = await read(second).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(InvalidPackage);
      expect((error as Error).message).toMatch(
        /^Invalid submission ZIP: entry ".*bad\.xml" is (?:damaged|encrypted)/,
      );
      expect((error as Error).message).toMatch(reason);
    });
  });

  it('a bomb, before it has unpacked', async () => {
    const bomb = { deflated: true, data: deflateRawSync(Buffer.alloc(200 * MIB)), sizeBytes: 200_000 };
    const reader = await openPackage(storedBytes(writeZip(bad(bomb))));
    const [, file] = reader.files;
    if (!file) throw new Error('There are two files');
    let passed = 0;
    await expect(async () => {
      for await (const piece of reader.pieces(file)) passed += piece.length;
    }).rejects.toThrow('larger than the declared');
    expect(passed).toBeLessThanOrEqual(200_000);
  });
});
