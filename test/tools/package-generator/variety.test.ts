/** A package shows the whole width of the format. */
import { describe, expect, it } from 'vitest';
import { generatePackage } from '../../../tools/package-generator/generate-package.ts';
import { productFilesOf } from '../../support/generator-oracle.ts';

const files = productFilesOf(generatePackage({ products: 200, seed: 7 }));
const texts = files.map((file) => file.content().toString());
const all = texts.join('');
const values = files.flatMap(({ expectation }) => expectation.values?.() ?? []);

/** An element of the sections, with the properties that the tests check. */
interface Shown {
  Ingredients: unknown[];
  Emissions: { Name: { value: string } }[];
  Presentations: { BrandName: object; NationalMarket: object }[];
  Design: { Description: object };
}
const shown = ({ sections }: (typeof values)[number]): Partial<Shown> =>
  Object.assign({}, sections.ingredients, sections.emission, sections.product_presentation, sections.design);

/** The different values of an element, sorted. */
const valuesOf = (name: string) =>
  [
    ...new Set(
      [...all.matchAll(new RegExp(`<${name}[^>]*>([^<]*)</${name}>`, 'g'))].map(([, value]) => value),
    ),
  ].sort();
const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => String(first + index)).sort();

describe('a package of 200 products', () => {
  it('has every product type and submission type', () => {
    expect(valuesOf('ProductType')).toEqual(upTo(9));
    expect(valuesOf('SubmissionType')).toEqual(upTo(7));
    expect(new Set(files.slice(0, 200).map(({ expectation }) => expectation.productTypeCode)).size).toBe(9);
  });

  it('has every ingredient function, emission, toxicity status and market', () => {
    expect(valuesOf('Function')).toEqual(upTo(26));
    expect(
      [
        ...new Set(values.flatMap((each) => shown(each).Emissions?.map(({ Name }) => Name.value) ?? [])),
      ].sort(),
    ).toEqual(upTo(22));
    expect(valuesOf('ToxicityStatus')).toEqual(['0', '1', '2']);
    expect(valuesOf('ToxicologicalDataAvailable')).toEqual(['1', '2', '3']);
    expect(valuesOf('NationalMarket')).toHaveLength(28);
    expect(valuesOf('VoltageWattageAdjustable')).toEqual(upTo(4));
    expect(valuesOf('ProductNumberType')).toEqual(['EAN', 'GTIN', 'SKU', 'SUBMITTER', 'UPC']);
  });

  it('has ingredients and emissions exactly where there is liquid', () => {
    for (const { expectation } of files) {
      const deviceOnly = [3, 5, 8].includes(expectation.productTypeCode ?? 0);
      const { ingredients, emission } = expectation.values?.().sections ?? {};
      expect([ingredients === null, emission === null]).toEqual([deviceOnly, deviceOnly]);
    }
  });

  it('has one to eight presentations', () => {
    const counts = new Set(values.map((each) => shown(each).Presentations?.length));
    expect([...counts].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('has text in many scripts, markup characters, and numbers in many forms', () => {
    for (const script of ['Greek', 'Cyrillic', 'Latin'])
      expect(all).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
    expect(all).toMatch(/&amp;.*&lt;/s);
    expect(all).toContain('🍓');
    const quantities = valuesOf('RecipeQuantity').join(' ');
    for (const form of [/\d\.\d{13,}/, /E[-\d]/, /\be|\de\+\d/, /\b00\d/, /\+\d/])
      expect(quantities).toMatch(form);
    expect(valuesOf('ProductNumber').join(' ')).toMatch(/\b0\d{11,13}\b/);
  });
});
