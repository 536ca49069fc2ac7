/** Properties of whole packages: random ones are read as they were made, and whatever happens to one, the invariants hold. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import { FILE_FAULT_NAMES } from '../../tools/package-generator/faults.ts';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import { createRandom } from '../../tools/package-generator/random.ts';
import { storedBytes } from '../archive/support/stored-bytes.ts';
import { writeZip } from '../archive/support/zip-writer.ts';
import { sharedFormat } from '../support/shared.ts';
import { requireInvariants } from './invariants.ts';
import { packRarely } from './mutations.ts';
import { digestOf, type PackageReading, readPackage } from './reading.ts';
import { contentsOf, execute, KINDS, makeRun, requireAsGenerated } from './run.ts';

const seed = fc.integer({ min: 1, max: 2 ** 31 });
const packageOptions = fc.record({
  seed,
  products: fc.integer({ min: 1, max: 6 }),
  style: fc.constantFrom('plain', 'varied'),
  attachments: fc.integer({ min: 1, max: 3 }),
  attachmentBytes: fc.integer({ min: 0, max: 20_000 }),
  faults: fc.dictionary(fc.constantFrom(...FILE_FAULT_NAMES), fc.integer({ min: 1, max: 2 }), { maxKeys: 4 }),
});

function counts({ outcomes }: PackageReading) {
  const of = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  return { created: of('created'), failed: of('failed'), skipped: of('skipped') };
}

async function read(zip: Buffer): Promise<PackageReading> {
  const reading = await readPackage(storedBytes(zip));
  if (reading instanceof InvalidPackage) throw reading;
  return reading;
}

describe('a random package', () => {
  it('is read as generated, and every file has its outcome', async () => {
    await fc.assert(
      fc.asyncProperty(packageOptions, async (options) => {
        const generated = generatePackage(options);
        const reading = await read(Buffer.concat(await generated.toStream().toArray()));
        requireInvariants(reading);
        requireAsGenerated(reading, await contentsOf(generated));
        expect(counts(reading)).toEqual(generated.outcomes);
        expect(reading.unreadable).toEqual([]);
        expect(reading.attachments).toHaveLength(options.attachments);
      }),
      { numRuns: 20 },
    );
  });

  it('has the same result in any packing', async () => {
    await fc.assert(
      fc.asyncProperty(packageOptions, seed, async (options, packing) => {
        const files = await contentsOf(generatePackage(options));
        const reading = await read(writeZip(packRarely(files, createRandom(packing))));
        requireAsGenerated(reading, files);
        const packed = files.filter(
          ({ generated: { kind } }) => kind !== 'tobacco-product' && kind !== 'other',
        );
        expect([...reading.digests].sort()).toEqual(
          [...new Set(packed.map(({ content }) => digestOf(content)))].sort(),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('does no harm after random damage', async () => {
    const kinds = new Set<string>();
    const ends = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(seed, fc.integer({ min: 0, max: 1000 }), async (of, number) => {
        const run = await makeRun(of % 5, number);
        kinds.add(run.kind);
        ends.add((await execute(run)) instanceof InvalidPackage);
      }),
      { numRuns: 150 },
    );
    expect(kinds).toEqual(new Set(KINDS));
    expect(ends).toEqual(new Set([true, false]));
  });
});

describe('the proof itself', () => {
  const content = Buffer.from('somebody else’s content');

  it('detects content that was not packed', async () => {
    const run = await makeRun(1, 3);
    const zip = writeZip({
      entries: [{ name: 'root/export/ecigarette-product-submissions/a.xml', content }],
    });
    const other = { ...(await firstOf('records')), zip };
    await expect(execute(other)).rejects.toThrow('a content was read that nobody packed');
    await expect(execute(run)).resolves.toBeDefined();
  });

  it('detects a product that is not read as generated', async () => {
    const { check } = await firstOf('packing');
    const another = await readPackage(storedBytes((await firstOf('packing', 500)).zip));
    expect(() => check(another)).toThrow();
  });

  async function firstOf(kind: (typeof KINDS)[number], from = 0) {
    for (let number = from; ; number += 1) {
      const run = await makeRun(1, number);
      if (run.kind === kind) return run;
    }
  }
});

describe.skipIf(!sharedFormat)('against the official schema (needs ../shared/package-format)', () => {
  const open: { dispose(): void }[] = [];
  let validator: XsdValidator;
  beforeAll(() => {
    xmlRegisterFsInputProviders();
    const path = `${sharedFormat}/xsd/submissions.xsd`;
    const schema = XmlDocument.fromBuffer(readFileSync(path), { url: path });
    validator = XsdValidator.fromDoc(schema);
    open.push(schema, validator);
  });
  afterAll(() => {
    for (const each of open.reverse()) each.dispose();
  });

  const isValid = (bytes: Buffer) => {
    const document = XmlDocument.fromBuffer(bytes);
    try {
      validator.validate(document);
      return true;
    } catch {
      return false;
    } finally {
      document.dispose();
    }
  };

  it('valid files are created without a warning about a missing, unknown or disordered element', async () => {
    await fc.assert(
      fc.asyncProperty(seed, async (of) => {
        const files = await contentsOf(generatePackage({ products: 5, seed: of }));
        const products = files.filter(({ generated }) => generated.kind === 'product');
        expect(products.map(({ content }) => isValid(content))).toEqual(products.map(() => true));
        const reading = await read(
          writeZip({ entries: products.map(({ path, content }) => ({ name: path, content })) }),
        );
        for (const outcome of reading.outcomes) {
          if (outcome.outcome !== 'created') throw new Error(JSON.stringify(outcome.reasons));
          // It refers to attachments that are left out here.
          const warnings = outcome.product.warnings.filter(
            ({ text }) => !/^the attachment .* is neither in this package/.test(text),
          );
          expect(warnings).toEqual([]);
        }
      }),
      { numRuns: 15 },
    );
  });
});
