/** The generator's expectations of its files, in every style, equal the results of the importer's readers. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalStorage } from '../../../src/archive/local-storage.ts';
import { openPackage } from '../../../src/archive/package-reader.ts';
import { unpacked } from '../../../src/archive/packed-file.ts';
import { FILE_FAULT_NAMES, FILE_FAULTS } from '../../../tools/package-generator/faults.ts';
import { type GeneratedPackage, generatePackage } from '../../../tools/package-generator/generate-package.ts';
import { compatible, STYLE_NAMES, STYLES } from '../../../tools/package-generator/styles.ts';
import { generateProductXml, productFilesOf } from '../../support/generator-oracle.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { expectAsGenerated } from './reading.ts';

const everyFault = (n: number) => Object.fromEntries(FILE_FAULT_NAMES.map((name) => [name, n]));

/** Stores a package and opens it as the importer does. */
async function opened(generated: GeneratedPackage) {
  const storage = createLocalStorage(await temporaryDirectory());
  await storage.put('package.zip', generated.toStream());
  return openPackage(await storage.open('package.zip'));
}

describe.each(['plain', 'varied'] as const)('a %s package with every fault', (style) => {
  it.each([1, 333])('is read as expected, seed %i', (seed) => {
    const generated = generatePackage({ products: 12, seed, style, faults: everyFault(1) });
    for (const file of productFilesOf(generated)) {
      if (file.kind === 'product') expectAsGenerated({ ...file, bytes: file.content() });
    }
  });
});

describe('each fault', () => {
  it.each(FILE_FAULT_NAMES)('%s is read as expected in all of its variants', (fault) => {
    const { variants = [''] } = FILE_FAULTS[fault];
    for (const variant of variants) {
      for (const ordinal of [0, 1, 2]) {
        const generated = generateProductXml({ fault, variant, ordinal });
        if (generated.expectation.outcome !== 'skipped') expectAsGenerated(generated);
      }
    }
  });

  it.each(FILE_FAULT_NAMES.filter((name) => !FILE_FAULTS[name].spoil))(
    '%s is read as expected in the styles that change the document',
    (fault) => {
      const { variants: [variant = ''] = [] } = FILE_FAULTS[fault];
      for (const style of ['misspellings', 'unknown-elements', 'other-order', 'missing-flags'] as const) {
        const generated = generateProductXml({ fault, variant, styles: [style] });
        if (generated.expectation.outcome !== 'skipped') expectAsGenerated(generated);
      }
    },
  );

  it('is a separate file beside the good products', () => {
    const generated = generatePackage({ products: 5, faults: { 'duplicate-product': 6, malformed: 2 } });
    const seen = new Set<string | null>();
    for (const { expectation } of productFilesOf(generated)) {
      expect(seen.has(expectation.productId)).toBe(expectation.fault === 'duplicate-product');
      if (expectation.outcome === 'created') seen.add(expectation.productId);
    }
    expect(seen.size).toBe(5);
  });

  it('missing-attachment refers to a missing attachment', () => {
    const generated = generatePackage({ products: 6, faults: { 'missing-attachment': 2 } });
    const sent = new Set(generated.files.map((file) => ('attachmentId' in file ? file.attachmentId : '')));
    for (const { expectation } of productFilesOf(generated)) {
      const missing = expectation.values?.().attachmentIds.filter((id) => !sent.has(id));
      expect(missing).toHaveLength(expectation.fault === 'missing-attachment' ? 1 : 0);
    }
  });
});

describe('the archive', () => {
  it('contains exactly the listed files, except litter', async () => {
    const generated = generatePackage({
      products: 12,
      style: 'varied',
      faults: { ...everyFault(1), litter: 3 },
    });
    const reader = await opened(generated);
    const listed = generated.files.filter(({ kind }) => kind !== 'other');
    expect(reader.root).toBe('euceg-export');
    expect(reader.files.map(({ kind, path }) => ({ kind, path }))).toEqual(
      listed.map(({ kind, path }) => ({ kind, path })),
    );
    for (const [index, file] of reader.files.entries()) {
      const bytes = unpacked(await reader.packed(file));
      const made = listed[index]?.content();
      const expected = Buffer.isBuffer(made) ? made : Buffer.concat((await made?.toArray()) ?? []);
      expect(bytes.equals(expected)).toBe(true);
    }
    reader.close();
  });

  it.each(['second-root', 'no-export'] as const)('is refused with the fault %s', async (fault) => {
    const generated = generatePackage({ products: 1, faults: { [fault]: 2 } });
    expect(generated.refusal).not.toBeNull();
    await expect(opened(generated)).rejects.toThrow(generated.refusal ?? '');
  });
});

describe('each style', () => {
  it.each(STYLE_NAMES)('%s is read with its meaning', (style) => {
    for (let ordinal = 0; ordinal < 9; ordinal += 1) {
      const generated = generateProductXml({ styles: [style], ordinal });
      expect(generated.expectation.warns).toBe(STYLES[style].warns);
      expectAsGenerated(generated);
    }
  });

  it('occurs in a varied package of a few dozen products', () => {
    const generated = generatePackage({ products: STYLE_NAMES.length * 2, style: 'varied' });
    const used = new Set(productFilesOf(generated).flatMap(({ expectation }) => expectation.styles));
    expect([...used].sort()).toEqual([...STYLE_NAMES].sort());
  });
});

describe('styles together', () => {
  it('are read with their meaning, in any combination', () => {
    const combination = fc.record({
      styles: fc.shuffledSubarray(STYLE_NAMES).map((styles) => compatible(styles)),
      seed: fc.integer({ min: 0, max: 1000 }),
      ordinal: fc.nat(50),
    });
    fc.assert(
      fc.property(combination, (options) => expectAsGenerated(generateProductXml(options))),
      { numRuns: 40, seed: 1 },
    );
  });

  it('leave out those that an earlier one excludes', () => {
    expect(compatible(['bom', 'crlf', 'utf-16le', 'short-dates', 'crlf', 'zoned-dates'])).toEqual([
      'bom',
      'crlf',
      'short-dates',
    ]);
  });
});
