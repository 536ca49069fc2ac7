/** Problems that a regulator would reject: found, named by their check, and refused if configured. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProductParser } from '../../activities/reading/parser-pool.ts';
import { type HistoryCheck, PRODUCT_CHECKS, type ProductCheck } from '../../src/contract/product-checks.ts';
import { reasonsText, reasonText } from '../../src/contract/reasons.ts';
import { parseProduct } from '../../src/products/parse-product.ts';
import { hasCasCheckDigit, hasGtinCheckDigit } from '../../src/products/product-checks.ts';
import { storedFile } from '../support/packed-file.ts';
import { productXml } from '../support/product-xml.ts';

const ON = '2026-11-22';

interface Case {
  type?: string;
  edit: (xml: string) => string;
}

const read = ({ type = '7', edit }: Case, refused: readonly ProductCheck[] = []) =>
  parseProduct(Buffer.from(productXml({ productId: '99962-26-00001', type, edit })), { refused, on: ON });

const design = (element: string, value: string) => (xml: string) =>
  xml.replace('</Description>', `</Description>\n<${element} confidential="false">${value}</${element}>`);
const launch = (day: string) => (xml: string) => xml.replace('>2126-01-01<', `>${day}<`);
const number = (type: string, value: string) => (xml: string) =>
  xml.replace('>SUBMITTER<', `>${type}<`).replace('>0001<', `>${value}<`);
const emission = (unit: string) => (xml: string) =>
  xml.replace(
    '<Design>',
    `<Emissions><Emission><CasNumber confidential="false">50-00-0</CasNumber><Quantity confidential="false">1</Quantity>${unit}<MethodsFile><Attachment attachmentID="238d0f2d-5dd0-4f07-838e-24680cb37d51"/></MethodsFile><Name confidential="false">4</Name></Emission></Emissions><Design>`,
  );
const twice =
  (change = '') =>
  (xml: string) =>
    xml.replace(
      /<Presentation>.*<\/Presentation>/s,
      (one) => one + one.replace('>Brand<', `>Brand${change}<`),
    );

const found: Record<Exclude<ProductCheck, HistoryCheck>, [Case, RegExp]> = {
  nicotine_concentration: [
    { edit: design('NicotineConcentration', '20.1') },
    /^NicotineConcentration "20.1" mg\/ml is more than 20 mg\/ml \(Product\/Design\/NicotineConcentration, nicotine_concentration\)$/,
  ],
  refill_volume: [{ edit: (xml) => xml.replace('>10<', '>10.5<') }, /Volume "10.5" ml is more than 10 ml/],
  tank_volume: [
    { type: '5', edit: design('LiquidVolumeCapacity', '2.01') },
    /LiquidVolumeCapacity "2.01" ml is more than 2 ml in a tank/,
  ],
  launch_date: [
    { edit: launch('2027-05-21') },
    /LaunchDate "2027-05-21" is less than 6 months after the notification, 2026-11-22 .*Presentation\[1\]\/LaunchDate/,
  ],
  withdrawal_date: [
    {
      edit: (xml) =>
        xml
          .replace(
            'WithdrawalIndication confidential="false">false<',
            'WithdrawalIndication confidential="false">true<',
          )
          .replace(
            '<ProductNumberType',
            '<WithdrawalDate confidential="true">2125-12-31</WithdrawalDate>\n<ProductNumberType',
          ),
    },
    /WithdrawalDate \(confidential\) is before the launch, "2126-01-01"/,
  ],
  cas_check_digit: [
    { edit: (xml) => xml.replace('>56-81-5<', '>56-81-6<') },
    /CasNumber "56-81-6" is not a valid CAS number.*Ingredient\[1\]\/CasNumber/,
  ],
  gtin_check_digit: [
    { edit: number('EAN', '4006381333932') },
    /ProductNumber "4006381333932" is not a valid EAN/,
  ],
  emission_unit: [{ edit: emission('') }, /Unit is missing.*Emission\[1\]\/Unit/],
  duplicate_presentation: [
    { edit: twice() },
    /Presentation\[2\] has the same market, names and product number as Presentation\[1\]/,
  ],
};

describe.each(Object.keys(found) as (keyof typeof found)[])('%s', (check) => {
  const [product, message] = found[check];

  it('is a warning that names element and check', () => {
    const result = read(product);
    if (!result.ok) throw new Error(reasonsText(result.reasons));
    const { warnings } = result.product;
    expect(warnings.map(reasonText)).toEqual([expect.stringMatching(message)]);
    expect(warnings[0]).toMatchObject({ check, path: expect.stringMatching(/^Product\/\w/) });
  });

  it('refuses the file where that is configured, unlike the other checks', () => {
    const others = PRODUCT_CHECKS.filter((other) => other !== check);
    expect(read(product, others).ok).toBe(true);
    const warned = read(product);
    expect(read(product, [check])).toEqual({
      ok: false,
      productId: '99962-26-00001',
      reasons: warned.ok && warned.product.warnings,
    });
  });
});

describe('no check warns about', () => {
  const cases: [title: string, product: Case][] = [
    ['20 mg/ml', { edit: design('NicotineConcentration', '20.0') }],
    [
      'a large bottle without nicotine',
      { edit: (xml) => design('NicotineConcentration', '0.0')(xml.replace('>10<', '>50<')) },
    ],
    [
      'a large tank without nicotine',
      {
        type: '1',
        edit: (xml) => design('LiquidVolumeCapacity', '5')(design('NicotineConcentration', '0')(xml)),
      },
    ],
    ['the capacity of a refill container', { edit: design('LiquidVolumeCapacity', '10') }],
    ['a launch in exactly half a year', { edit: launch('2027-05-22') }],
    [
      'a launch long ago of a product that is not new',
      { edit: (xml) => launch('2017-01-01')(xml.replace('>1</SubmissionType>', '>5</SubmissionType>')) },
    ],
    ['an EAN, a GTIN-14, a UPC with their check digits', { edit: number('EAN', '4006381333931') }],
    ['a GTIN with zeros in front', { edit: number('GTIN', '04006381333931') }],
    ['a number of the submitter’s own', { edit: number('SKU', '4006381333932') }],
    ['an emission with its unit', { edit: emission('<Unit confidential="false">mg</Unit>') }],
    ['two brands in one market', { edit: twice(' 2') }],
  ];
  it.each(cases)('%s', (_title, product) => {
    const result = read(product);
    if (!result.ok) throw new Error(reasonsText(result.reasons));
    expect(result.product.warnings).toEqual([]);
  });
});

it('a CAS number in a list has the place of its element, also behind an empty one', () => {
  const numbers =
    '<AdditionalCasNumbers><CasNumber confidential="false"/><CasNumber confidential="false">50-00-1</CasNumber></AdditionalCasNumbers>';
  const result = read({ edit: (xml) => xml.replace('</CasNumber>', `</CasNumber>${numbers}`) });
  expect(result.ok && result.product.warnings.map(({ path }) => path)).toEqual([
    'Product/Ingredients/Ingredient[1]/AdditionalCasNumbers/CasNumber[1]',
    'Product/Ingredients/Ingredient[1]/AdditionalCasNumbers/CasNumber[2]',
  ]);
});

it.each([
  ['2026-08-31', '2027-02-28', 0],
  ['2026-08-31', '2027-02-27', 1],
  ['2027-08-31', '2028-02-29', 0],
  ['2026-09-30', '2027-03-30', 0],
  ['2026-09-30', '2027-03-29', 1],
])('six months after %s end with the month: a launch on %s has %i warnings', (on, day, warnings) => {
  const result = parseProduct(Buffer.from(productXml({ edit: launch(day) })), { on });
  expect(result.ok && result.product.warnings).toHaveLength(warnings);
});

it('values in other forms than the schema’s are no numbers and no codes', () => {
  const edit = (xml: string) =>
    xml.replace('>10<', '>0x15<').replace('>1</SubmissionType>', '>0x2</SubmissionType>');
  const result = read({ edit });
  if (!result.ok) throw new Error(reasonsText(result.reasons));
  expect(result.product.submissionTypeCode).toBeNull();
  expect(result.product.warnings.map(({ check, path }) => [check, path])).toEqual([
    [null, 'SubmissionType'],
    [null, 'Product/Volume'],
  ]);
});

describe('check digits', () => {
  it('of CAS and GTIN numbers detect every wrong digit', () => {
    const numbers: [string, (number: string) => boolean][] = [
      ['7732-18-5', hasCasCheckDigit],
      ['56-81-5', hasCasCheckDigit],
      ['4006381333931', hasGtinCheckDigit],
      ['036000291452', hasGtinCheckDigit],
      ['96385074', hasGtinCheckDigit],
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...numbers),
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        ([number, isRight], at, by) => {
          const places = [...number].flatMap((char, index) => (char === '-' ? [] : [index]));
          const place = places[at % places.length] ?? 0;
          const digit = (Number(number[place]) + by) % 10;
          expect(isRight(number)).toBe(true);
          // A CAS digit counts by its place: a wrong one is not noticed where place times difference is a multiple of
          // ten.
          const weight = Math.max(1, places.length - 1 - places.indexOf(place));
          expect(isRight(number.slice(0, place) + digit + number.slice(place + 1))).toBe(
            number.includes('-') && (weight * by) % 10 === 0,
          );
        },
      ),
    );
  });
});

describe('the threads that parse', () => {
  it('get the list of checks that refuse', async () => {
    const bytes = Buffer.from(
      productXml({ productId: '99962-26-00001', edit: number('EAN', '1234567890123') }),
    );
    for (const refusedChecks of [[], ['gtin_check_digit']] as const) {
      const parser = createProductParser({ threads: 1, refusedChecks });
      try {
        expect((await parser.parse(storedFile(bytes))).result.ok).toBe(refusedChecks.length === 0);
      } finally {
        await parser.close();
      }
    }
  });
});
