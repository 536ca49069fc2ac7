/** Plain files are valid against the official schema, which lies beside the checkout. */
import { readFileSync } from 'node:fs';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseProduct } from '../../../src/products/parse-product.ts';
import { FILE_FAULT_NAMES } from '../../../tools/package-generator/faults.ts';
import { type GeneratedFile, generatePackage } from '../../../tools/package-generator/generate-package.ts';
import { generateProductXml } from '../../support/generator-oracle.ts';
import { sharedFormat } from '../../support/shared.ts';

type Schema = 'submissions' | 'attachments' | 'submitters';

/** Closed in reverse order at the end: the garbage collector does not manage the library's memory. */
const open: { dispose(): void }[] = [];
const validators = new Map<Schema, XsdValidator>();

function load(schema: Schema): XsdValidator {
  const path = `${sharedFormat}/xsd/${schema}.xsd`;
  const document = XmlDocument.fromBuffer(readFileSync(path), { url: path });
  const validator = XsdValidator.fromDoc(document);
  open.push(document, validator);
  return validator;
}

/** The reason why the file is invalid; null when it is valid. */
function faultOf(schema: Schema, bytes: Buffer): string | null {
  const document = XmlDocument.fromBuffer(bytes);
  try {
    validators.get(schema)?.validate(document);
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    document.dispose();
  }
}

async function faultsOf(files: readonly GeneratedFile[]): Promise<string[]> {
  const faults: string[] = [];
  for (const file of files) {
    if (file.kind === 'other') continue;
    const schema = { attachment: 'attachments', submitter: 'submitters' } as const;
    const made = file.content();
    const bytes = Buffer.isBuffer(made) ? made : Buffer.concat(await made.toArray());
    const known = file.kind === 'attachment' || file.kind === 'submitter' ? schema[file.kind] : 'submissions';
    const fault = faultOf(known, bytes);
    if (fault !== null) faults.push(`${file.path}: ${fault}`);
  }
  return faults;
}

describe.skipIf(!sharedFormat)('against the official schema (needs ../shared/package-format)', () => {
  beforeAll(() => {
    xmlRegisterFsInputProviders();
    for (const schema of ['submissions', 'attachments', 'submitters'] as const)
      validators.set(schema, load(schema));
  });
  afterAll(() => {
    for (const each of open.reverse()) each.dispose();
  });

  it.each([1, 2])('every file of a plain package is valid, seed %i', async (seed) => {
    const { files } = generatePackage({ products: 100, seed, submitterId: `1000${seed}` });
    expect(await faultsOf(files)).toEqual([]);
  });

  it('attachments of a varied package are valid too', async () => {
    const { files } = generatePackage({ products: 30, style: 'varied' });
    expect(await faultsOf(files.filter(({ kind }) => kind === 'attachment'))).toEqual([]);
  });

  it('refuses faulty files: the check works', () => {
    const harmless = new Set(['missing-attachment', 'duplicate-product', 'doctype']);
    // The schema's \d admits the digits of other scripts: one variant of invalid-product-id is valid to it.
    for (const fault of FILE_FAULT_NAMES.filter(
      (name) => !harmless.has(name) && name !== 'invalid-product-id',
    )) {
      const valid = () => faultOf('submissions', generateProductXml({ fault, ordinal: 3 }).bytes) === null;
      expect.soft(notWellFormedOr(valid), fault).toBe(false);
    }
  });

  it('refuses what has the code of the Commission for a wrong structure', () => {
    const seen = new Set<string>();
    for (const fault of FILE_FAULT_NAMES.filter((name) => name !== 'invalid-product-id'))
      for (let ordinal = 0; ordinal < 10; ordinal += 1) {
        const { bytes } = generateProductXml({ fault, ordinal });
        const result = parseProduct(bytes);
        if (result.ok || result.reasons.every(({ commission_code }) => commission_code === undefined))
          continue;
        seen.add(fault);
        expect
          .soft(
            notWellFormedOr(() => faultOf('submissions', bytes) === null),
            fault,
          )
          .toBe(false);
      }
    expect(seen.size).toBeGreaterThan(5);
  });
});

function notWellFormedOr(valid: () => boolean): boolean {
  try {
    return valid();
  } catch {
    return false;
  }
}
