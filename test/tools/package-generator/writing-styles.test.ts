/** Every writing style by itself and with others: the document stays the same, and only the known ones warn. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generatePackage } from '../../../tools/package-generator/generate-package.ts';
import { generateProductXml } from '../../../tools/package-generator/plan.ts';
import { compatible, STYLE_NAMES, STYLES } from '../../../tools/package-generator/styles.ts';
import { expectAsGenerated, productFilesOf } from './reading.ts';

const text = (styles: typeof STYLE_NAMES, ordinal = 0) =>
  generateProductXml({ styles, ordinal }).bytes.toString();

describe('each style', () => {
  it.each(STYLE_NAMES)('%s is read as meant', (style) => {
    for (let ordinal = 0; ordinal < 9; ordinal += 1) {
      const generated = generateProductXml({ styles: [style], ordinal });
      expect(generated.expectation.warns).toBe(STYLES[style].warns);
      expectAsGenerated(generated);
    }
  });

  it.each(STYLE_NAMES)('%s changes the bytes', (style) => {
    const plain = generateProductXml({ ordinal: 1 }).bytes;
    expect(generateProductXml({ styles: [style], ordinal: 1 }).bytes.equals(plain)).toBe(false);
  });

  it('occurs in a varied package of a few dozen products', () => {
    const { files } = generatePackage({ products: STYLE_NAMES.length * 2, style: 'varied' });
    const used = new Set(files.flatMap((file) => ('expectation' in file ? file.expectation.styles : [])));
    expect([...used].sort()).toEqual([...STYLE_NAMES].sort());
  });
});

describe('styles together', () => {
  it('are read as meant, whichever', () => {
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

  it('are drawn for each file of a varied package, about half of them without a warning', () => {
    const files = productFilesOf(generatePackage({ products: 300, style: 'varied' }));
    const warned = files.filter(({ expectation }) => expectation.warns).length;
    expect(warned).toBeGreaterThan(60);
    expect(warned).toBeLessThan(240);
  });
});

describe('on the outside', () => {
  it.each([
    ['bom', 'efbbbf3c'],
    ['utf-16le', 'fffe3c00'],
    ['utf-16be', 'feff003c'],
    ['iso-8859-1', '3c3f786d'],
  ] as const)('%s begins with its bytes', (style, start) => {
    expect(
      generateProductXml({ styles: [style] })
        .bytes.subarray(0, 4)
        .toString('hex'),
    ).toBe(start);
  });

  it('a style looks as its name says', () => {
    expect(text(['iso-8859-1'])).toContain('encoding="ISO-8859-1"');
    expect(text(['namespace-prefix'])).toMatch(/<ceg:EcigProductSubmission xmlns:ceg="/);
    expect(text(['no-declaration'])).toMatch(/^<EcigProductSubmission>/);
    expect(text(['cdata'])).toContain('<![CDATA[');
    expect(text(['crlf'])).not.toMatch(/[^\r]\n/);
    expect(text(['one-line']).split('</Submitter>')[1]).toMatch(/^<SubmissionType/);
    expect(text(['single-quotes'])).toContain("<?xml version='1.0' encoding='UTF-8'?>");
    expect(text(['misspellings'])).toMatch(/submitterId=.*<HasAffiliate>/s);
    expect(text(['padded-codes'])).toMatch(/<ProductType confidential="false">(?:07|\+7| 7 |7\.0)</);
  });
});
