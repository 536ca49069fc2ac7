/**
 * Properties of whole packages: random ones are read as they were made, and whatever happens to one, the invariants
 * hold.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import { FILE_FAULT_NAMES } from '../../tools/package-generator/faults.ts';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import { createRandom } from '../../tools/package-generator/random.ts';
import { storedBytes } from '../archive/support/stored-bytes.ts';
import { writeZip } from '../archive/support/zip-writer.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { fuzz } from './fuzz.ts';
import { packRarely } from './mutations.ts';
import { type PackageReading, readPackage, requireInvariants, sha256Of } from './reading.ts';
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
      { numRuns: 8 },
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
          [...new Set(packed.map(({ content }) => sha256Of(content)))].sort(),
        );
      }),
      { numRuns: 8 },
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
      { numRuns: 60 },
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

describe('the fuzzer', () => {
  it('makes the same run from the same seed and number', async () => {
    const [first, again, other] = await Promise.all([makeRun(5, 7), makeRun(5, 7), makeRun(5, 8)]);
    expect(again?.zip.equals(first?.zip ?? Buffer.alloc(0))).toBe(true);
    expect(other?.zip.equals(first?.zip ?? Buffer.alloc(0))).toBe(false);
  });

  it('counts its runs', async () => {
    const directory = await temporaryDirectory();
    const result = await fuzz({ seed: 3, first: 0, runs: 8, seconds: 60, directory }, () => {});
    expect(result).toMatchObject({ runs: 8, failure: null });
    expect(Object.values(result.byKind).reduce((sum, n) => sum + n, 0)).toBe(8);
  });
});
