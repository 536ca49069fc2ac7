/** Packages as files: the same for the same options, of the size asked for, streamed. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readAttachment } from '../../../src/products/attachment-reader.ts';
import { readSubmitter } from '../../../src/products/submitter-reader.ts';
import { type AttachmentFile, generatePackage } from '../../../tools/package-generator/generate-package.ts';
import type { PackageOptions } from '../../../tools/package-generator/options.ts';
import { asObject, productFilesOf } from '../../support/generator-oracle.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const sha256Of = async (options: PackageOptions) => {
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
    expect(await sha256Of(mixed)).toBe(await sha256Of(mixed));
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
    expect(await sha256Of({ ...mixed, seed: 6 })).not.toBe(await sha256Of(mixed));
  });
});

describe('product numbers', () => {
  const idsOf = (options: PackageOptions) =>
    productFilesOf(generatePackage(options))
      .map(({ expectation }) => expectation.productId)
      .sort();

  it('start at the requested one', () => {
    expect(idsOf({ products: 3, firstNumber: 98, submitterId: '01234', year: 2031 })).toEqual([
      '01234-31-00098',
      '01234-31-00099',
      '01234-31-00100',
    ]);
  });

  it('and contents do not change with added faults', () => {
    const contents = (options: PackageOptions) =>
      new Map(
        productFilesOf(generatePackage(options)).map((file) => [file.expectation.productId, file.content()]),
      );
    const good = contents({ products: 5, attachments: 4 });
    const more = contents({ products: 5, attachments: 4, faults: { malformed: 2, tobacco: 1 } });
    expect(good.size).toBe(5);
    for (const [productId, bytes] of good) expect(more.get(productId)).toEqual(bytes);
  });
});

describe('attachments', () => {
  it('have exactly the requested size together', () => {
    const sizes = attachmentsOf({ products: 9, attachments: 7, attachmentBytes: 1_000_003 }).map(
      (file) => file.contentBytes,
    );
    expect(sizes).toHaveLength(7);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_000_003);
    expect(new Set(sizes).size).toBe(7);
  });

  it.each(['plain', 'varied'] as const)('are read as the generated documents, %s', async (style) => {
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
});

describe('the submitter file', () => {
  it('is read as generated', () => {
    for (const submitterId of ['99962', '00001', '31337', '54321']) {
      for (const file of generatePackage({ products: 0, submitterId }).files) {
        if (file.kind !== 'submitter') continue;
        const read = readSubmitter(file.content(), `${submitterId}.xml`);
        expect(read).toMatchObject({
          submitterId,
          details: asObject(file.document.children),
        });
      }
    }
  });
});

describe('writeTo', () => {
  it('returns the size of the file', async () => {
    const path = join(await temporaryDirectory(), 'package.zip');
    const { bytes } = await generatePackage({ products: 2 }).writeTo(path);
    expect((await stat(path)).size).toBe(bytes);
  });

  it('leaves nothing when it fails', async () => {
    const path = join(await temporaryDirectory(), 'nowhere', 'package.zip');
    await expect(generatePackage({ products: 2 }).writeTo(path)).rejects.toThrow('ENOENT');
  });
});

describe('invalid options', () => {
  it.each<[PackageOptions, string]>([
    [{ products: -1 }, 'products: Too small: expected number to be >=0'],
    [{ products: 1.5 }, 'products: Invalid input: expected int'],
    [{ submitterId: '123' }, 'submitterId: must be five digits'],
    [{ year: 1999 }, 'year: Too small: expected number to be >=2017'],
    [{ on: '2026-02-30' }, 'on: Invalid ISO date'],
    [{ firstNumber: 99_995 }, 'firstNumber: 10 product numbers from there on exceed 99999'],
    [{ attachments: 0, attachmentBytes: 5 }, 'attachments: 0 attachments must have 0 bytes'],
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
