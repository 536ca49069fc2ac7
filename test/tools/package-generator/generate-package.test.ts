/** Packages as files: the same for the same options, of the size asked for, streamed. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readAttachment } from '../../../src/products/attachment-reader.ts';
import { readSubmitter } from '../../../src/products/submitter-reader.ts';
import { type AttachmentFile, generatePackage } from '../../../tools/package-generator/generate-package.ts';
import type { PackageOptions } from '../../../tools/package-generator/options.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { productFilesOf } from './reading.ts';

const digestOf = async (options: PackageOptions) => {
  const hash = createHash('sha256');
  for await (const chunk of generatePackage(options).toStream()) hash.update(chunk);
  return hash.digest('hex');
};

const attachmentsOf = (options: PackageOptions) =>
  generatePackage(options).files.filter((file): file is AttachmentFile => file.kind === 'attachment');

const mixed: PackageOptions = {
  on: '2026-11-22',
  products: 20,
  seed: 5,
  style: 'varied',
  faults: { malformed: 1, litter: 2, tobacco: 1 },
};

describe('the same options', () => {
  it('give the same bytes', async () => {
    expect(await digestOf(mixed)).toBe(await digestOf(mixed));
  });

  it('give the same bytes in another time zone', async () => {
    const script = `
      import { createHash } from 'node:crypto';
      import { generatePackage } from ${JSON.stringify(new URL('../../../tools/package-generator/generate-package.ts', import.meta.url).href)};
      const hash = createHash('sha256');
      for await (const chunk of generatePackage(${JSON.stringify(mixed)}).toStream()) hash.update(chunk);
      process.stdout.write(hash.digest('hex'));`;
    const run = (zone: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', script], {
        env: { ...process.env, TZ: zone },
      });
    const [tokyo, lima] = await Promise.all([run('Asia/Tokyo'), run('America/Lima')]);
    expect(tokyo.stdout).toMatch(/^[0-9a-f]{64}$/);
    expect(lima.stdout).toBe(tokyo.stdout);
  });

  it('but another seed give another package', async () => {
    expect(await digestOf({ ...mixed, seed: 6 })).not.toBe(await digestOf(mixed));
  });

  it('give contents again and again, in any order', () => {
    const [first, second] = productFilesOf(generatePackage(mixed));
    const before = first?.content();
    second?.content();
    expect(first?.content()).toEqual(before);
  });
});

describe('product numbers', () => {
  const idsOf = (options: PackageOptions) =>
    productFilesOf(generatePackage(options))
      .map(({ expectation }) => expectation.productId)
      .sort();

  it('run from the first one asked for', () => {
    expect(idsOf({ products: 3, firstNumber: 98, submitterId: '01234', year: 2031 })).toEqual([
      '01234-31-00098',
      '01234-31-00099',
      '01234-31-00100',
    ]);
  });

  it('and contents stay when faults come on top', () => {
    const contents = (options: PackageOptions) =>
      new Map(
        productFilesOf(generatePackage(options)).map((file) => [file.expectation.productId, file.content()]),
      );
    const good = contents({ products: 5, attachments: 4 });
    const more = contents({ products: 5, attachments: 4, faults: { malformed: 2, tobacco: 1 } });
    for (const [productId, bytes] of good) expect(more.get(productId)).toEqual(bytes);
  });
});

describe('attachments', () => {
  it('have together exactly the size asked for', () => {
    const sizes = attachmentsOf({ products: 9, attachments: 7, attachmentBytes: 1_000_003 }).map(
      (file) => file.contentBytes,
    );
    expect(sizes).toHaveLength(7);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_000_003);
    expect(new Set(sizes).size).toBe(7);
  });

  it.each(['plain', 'varied'] as const)('are read as the documents that were put in, %s', async (style) => {
    for (const file of attachmentsOf({ products: 1, attachments: 12, attachmentBytes: 2_000_000, style })) {
      const document = Buffer.concat(await file.document().toArray());
      const reader = readAttachment(file.content());
      const content = Buffer.concat(await Array.fromAsync(reader.content));
      expect(content.equals(document)).toBe(true);
      expect(document).toHaveLength(file.contentBytes);
      expect(reader.details()).toMatchObject({
        attachmentId: file.attachmentId,
        fileName: file.filename,
        contentType: 'application/pdf',
        confidential: file.confidential,
      });
    }
  });

  it('are PDFs whose cross-reference table is where they say', async () => {
    const [file] = attachmentsOf({ products: 1, attachments: 1, attachmentBytes: 50_000 });
    const text = Buffer.concat((await file?.document().toArray()) ?? []).toString('latin1');
    expect(text).toMatch(/^%PDF-1\.7\n.*%%EOF\n$/s);
    const table = Number(/startxref\n(\d+)/.exec(text)?.[1]);
    expect(text.slice(table, table + 5)).toBe('xref\n');
    const offsets = [...text.slice(table).matchAll(/^(\d{10}) 00000 n /gm)].map(([, offset]) =>
      Number(offset),
    );
    expect(offsets.map((offset) => text.slice(offset, offset + 7))).toEqual([
      '1 0 obj',
      '2 0 obj',
      '3 0 obj',
    ]);
  });

  it('of a few bytes are possible', async () => {
    const [file] = attachmentsOf({ products: 1, attachments: 1, attachmentBytes: 10 });
    expect(Buffer.concat((await file?.document().toArray()) ?? []).toString('latin1')).toBe('%PDF-1.7\n%');
  });

  it.each([
    ['deflated', 60, false],
    ['stored', 300, true],
  ] as const)('of hundreds of megabytes pass through constant memory, %s', async (_, megabytes, store) => {
    const script = fileURLToPath(new URL('measure-memory.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [
      script,
      String(megabytes),
      String(store),
    ]);
    const { bytes, growth } = JSON.parse(stdout) as { bytes: number; growth: number };
    expect(bytes).toBeGreaterThan(megabytes * 1024 * 1024);
    expect(growth).toBeLessThan(100 * 1024 * 1024);
  });
});

describe('the submitter file', () => {
  it('is read as it was generated', () => {
    for (const submitterId of ['99962', '00001', '31337', '54321']) {
      for (const file of generatePackage({ products: 0, submitterId }).files) {
        if (file.kind !== 'submitter') continue;
        const read = readSubmitter(file.content(), `${submitterId}.xml`);
        expect(read).toMatchObject({
          submitterId,
          details: file.details,
        });
      }
    }
  });
});

describe('writeTo', () => {
  it('tells the size of the file', async () => {
    const path = join(await temporaryDirectory(), 'package.zip');
    const { bytes } = await generatePackage({ products: 2 }).writeTo(path);
    expect((await stat(path)).size).toBe(bytes);
  });

  it('leaves nothing behind when it fails', async () => {
    const path = join(await temporaryDirectory(), 'nowhere', 'package.zip');
    await expect(generatePackage({ products: 2 }).writeTo(path)).rejects.toThrow('ENOENT');
  });
});

describe('options without sense', () => {
  it.each<[PackageOptions, string]>([
    [{ products: -1 }, 'products: Too small: expected number to be >=0'],
    [{ products: 1.5 }, 'products: Invalid input: expected int'],
    [{ submitterId: '123' }, 'submitterId: must be five digits'],
    [{ year: 1999 }, 'year: Too small: expected number to be >=2017'],
    [{ on: '2026-02-30' }, 'on: Invalid ISO date'],
    [{ root: 'a/b' }, 'root: must be the name of a directory'],
    [{ root: '..' }, 'root: must be the name of a directory'],
    [{ firstNumber: 99_995 }, 'firstNumber: 10 product numbers from there exceed 99999'],
    [{ attachments: 0, attachmentBytes: 5 }, 'attachments: 0 attachments have no bytes'],
    [
      { products: 0, faults: { 'duplicate-product': 1 } },
      'faults: duplicate-product needs at least one good product',
    ],
    [{ faults: { malformed: -2 } }, 'faults.malformed: Too small: expected number to be >=0'],
    // From JavaScript, or from JSON.
    [JSON.parse('{"faults":{"nonsense":1}}'), 'faults: Unrecognized key'],
    [JSON.parse('{"style":"odd"}'), 'style: Invalid option: expected one of "plain"|"varied"'],
  ])('%j are refused', (options, message) => {
    expect(() => generatePackage(options)).toThrow(`Invalid option ${message}`);
  });
});
