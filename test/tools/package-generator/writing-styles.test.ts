/** Every writing style by itself and with others: the document stays the same, and only the known ones warn. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generatePackage } from '../../../tools/package-generator/generate-package.ts';
import { generateProductXml } from '../../../tools/package-generator/plan.ts';
import { compatible, STYLE_NAMES, STYLES } from '../../../tools/package-generator/styles.ts';
import { expectAsGenerated } from './reading.ts';

describe('each style', () => {
  it.each(STYLE_NAMES)('%s is read with its meaning', (style) => {
    for (let ordinal = 0; ordinal < 9; ordinal += 1) {
      const generated = generateProductXml({ styles: [style], ordinal });
      expect(generated.expectation.warns).toBe(STYLES[style].warns);
      expectAsGenerated(generated);
    }
  });

  it('occurs in a varied package of a few dozen products', () => {
    const { files } = generatePackage({ products: STYLE_NAMES.length * 2, style: 'varied' });
    const used = new Set(files.flatMap((file) => ('expectation' in file ? file.expectation.styles : [])));
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
      { numRuns: 100, seed: 1 },
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
