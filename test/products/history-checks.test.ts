/** Checks against what was inserted before: the rules as a table, over products as the reader reads them. */
import { describe, expect, it } from 'vitest';
import { HISTORY_CHECKS, type HistoryCheck } from '../../src/contract/product-checks.ts';
import { reasonsText, reasonText } from '../../src/contract/reasons.ts';
import type { InsertedBefore, ParsedProduct, PresentationFields } from '../../src/domain/product.ts';
import { type History, previousProductOf } from '../../src/products/compared-with-inserted.ts';
import { checkHistory } from '../../src/products/history-checks.ts';
import { parseProduct } from '../../src/products/parse-product.ts';
import { productXml } from '../support/product-xml.ts';

const ON = '2026-11-22';
const ID = '99962-26-00001';
const PREVIOUS = '99962-25-00007';

type Edit = (xml: string) => string;
const all =
  (...edits: Edit[]): Edit =>
  (xml) =>
    edits.reduce((text, edit) => edit(text), xml);

const type =
  (code: number, confidential = false): Edit =>
  (xml) =>
    xml.replace(/<SubmissionType [^>]*>1</, `<SubmissionType confidential="${confidential}">${code}<`);
const previous =
  (id: string): Edit =>
  (xml) =>
    xml.replace(
      '</ProductID>',
      `</ProductID><PreviousProductID confidential="false">${id}</PreviousProductID>`,
    );
const withdrawn: Edit = (xml) => xml.replace(/(<WithdrawalIndication confidential="false">)false/, '$1true');
const market =
  (code: string, confidential = false): Edit =>
  (xml) =>
    xml.replace(
      /<NationalMarket .*<\/NationalMarket>/,
      `<NationalMarket confidential="${confidential}">${code}</NationalMarket>`,
    );
/** A second presentation, in another market. */
const added =
  (code: string): Edit =>
  (xml) =>
    xml.replace(/<Presentation>.*<\/Presentation>/s, (one) => one + market(code)(one));
const sales =
  (year: string): Edit =>
  (xml) =>
    xml.replace(
      '</PackageUnits>',
      `</PackageUnits><AnnualSalesDataList><AnnualSalesData><Year confidential="false">${year}</Year><SalesVolume confidential="true">1</SalesVolume></AnnualSalesData></AnnualSalesDataList>`,
    );

function read(edit: Edit, productId = ID): ParsedProduct {
  const result = parseProduct(Buffer.from(productXml({ productId, edit })), { on: ON });
  if (!result.ok) throw new Error(reasonsText(result.reasons));
  return result.product;
}

function presentationsOf({ sections }: ParsedProduct): PresentationFields[] {
  const { Presentations } = sections.product_presentation as { Presentations?: unknown };
  return Presentations as PresentationFields[];
}

/** The product as it was inserted. */
const inserted = (...edits: Edit[]): InsertedBefore => ({
  caseId: 'C-1',
  on: '2026-03-03',
  firstYear: 2026,
  presentations: presentationsOf(read(all(...edits))),
});
/** Another tenant's. */
const HIDDEN: InsertedBefore = { caseId: null, on: null, firstYear: null, presentations: null };

interface Case {
  now: Edit;
  productId?: string;
  before?: Partial<History>;
}

const NOTHING: History = { inserted: null, underWay: false, isPreviousKnown: false, changed: [] };

const findings = ({ now, productId, before }: Case, refused: readonly HistoryCheck[] = []) =>
  checkHistory(read(now, productId), { ...NOTHING, ...before }, { on: ON, refused });

const known = { inserted: inserted() };
const named = (...texts: string[]) => texts.map((text) => expect.stringContaining(text));

const found: Record<HistoryCheck, [title: string, product: Case, texts: unknown[]][]> = {
  known_product: [
    [
      'a new product whose leaflet has changed',
      { now: type(1), before: { ...known, changed: ['design'] } },
      [
        'SubmissionType "1" needs a new product ID, but the product was inserted on 2026-03-03 as case C-1. Changed since: design. Fitting: type 5 (Other update under the same product ID); if the modification is substantial, type 2 (Substantial modification leading to a new product ID) (SubmissionType, known_product)',
      ],
    ],
    [
      'a substantial modification',
      { now: all(type(2), previous(PREVIOUS)), before: { ...known, isPreviousKnown: true } },
      named('SubmissionType "2" needs a new product ID'),
    ],
    ['a new market', { now: all(type(1), added('FR')), before: known }, named('Fitting: type 3 (')],
    ['a withdrawal', { now: all(type(1), withdrawn), before: known }, named('Fitting: type 4 (')],
    [
      'annual data',
      { now: all(type(1), sales('2025')), before: { ...known, changed: ['product_presentation'] } },
      named('Fitting: type 6 ('),
    ],
    [
      "another tenant's product, without its case and day",
      { now: type(1), before: { inserted: HIDDEN } },
      named('needs a new product ID, but the product was inserted already. Fitting: type 5'),
    ],
    [
      'a confidential type, without the value',
      { now: type(1, true), before: known },
      named('SubmissionType (confidential) needs'),
    ],
  ],
  unknown_product: [3, 4, 5, 6, 7].map((code) => [
    `type ${code}`,
    { now: type(code) },
    named(
      `SubmissionType "${code}" updates a product, but this service has not inserted ${ID}. Unless it was notified by other means: fitting is type 1 (New product)`,
    ),
  ]),
  previous_product: [
    [
      'none',
      { now: type(2) },
      named('PreviousProductID is missing, but SubmissionType 2 requires it; expected'),
    ],
    ['its own ID', { now: all(type(2), previous(ID)) }, named('PreviousProductID is the product ID itself')],
    [
      'an unknown one',
      { now: all(type(2), previous(PREVIOUS)) },
      named(`PreviousProductID "${PREVIOUS}" was not inserted by this service`),
    ],
  ],
  added_presentation: [
    [
      'the same presentations',
      { now: type(3), before: { ...known, changed: ['design'] } },
      named(
        'SubmissionType "3" adds no presentation; the product was inserted on 2026-03-03 as case C-1. Changed since: design. Fitting: type 5',
      ),
    ],
    ['a withdrawal', { now: all(type(3), withdrawn), before: known }, named('Fitting: type 4 (')],
  ],
  withdrawn_presentation: [
    [
      'the same presentations',
      { now: type(4), before: known },
      named('SubmissionType "4" withdraws no presentation; '),
    ],
    ['a new market', { now: all(type(4), added('FR')), before: known }, named('Fitting: type 3 (')],
    [
      'one that was withdrawn already',
      { now: all(type(4), withdrawn), before: { inserted: inserted(withdrawn) } },
      named('SubmissionType "4" withdraws no presentation'),
    ],
  ],
  vanished_presentation: [
    [
      'one of two',
      { now: type(5), before: { inserted: inserted(added('FR')) } },
      named(
        'Presentations lacks "FR" "Brand" "0001", which is not withdrawn; the product was inserted on 2026-03-03 as case C-1. Fitting: type 4 (',
      ),
    ],
    [
      'a confidential one, without its name',
      { now: all(type(3), market('FR')), before: { inserted: inserted(market('AT', true)) } },
      named('Presentations lacks (confidential) "Brand" "0001"'),
    ],
  ],
  returned_presentation: [
    [
      'on sale again',
      { now: type(5), before: { inserted: inserted(withdrawn) } },
      named(
        'WithdrawalIndication is no longer true, but the presentation was withdrawn; the product was inserted on 2026-03-03 as case C-1. Expected: true',
      ),
    ],
  ],
  product_id_year: [
    [
      'a new product',
      { now: type(1), productId: PREVIOUS },
      named('has the year 25, but the first submission is of 2026; expected 26'),
    ],
    [
      'a product under a new ID',
      {
        now: all(type(2), previous('99962-24-00001')),
        productId: PREVIOUS,
        before: { isPreviousKnown: true },
      },
      named('expected 26'),
    ],
    [
      'an update',
      { now: type(5), productId: PREVIOUS, before: known },
      named(`ProductID ${PREVIOUS} has the year 25, but the first submission is of 2026; expected 26`),
    ],
  ],
  annual_data_year: [
    [
      'this year',
      { now: all(type(6), sales('2026')), before: known },
      named('Year "2026" has not ended; expected at most 2025'),
    ],
    [
      'a later one',
      { now: all(type(6), sales('2031')), before: known },
      named('AnnualSalesDataList/AnnualSalesData[1]/Year, annual_data_year)'),
    ],
  ],
};

describe.each(HISTORY_CHECKS)('%s', (check) => {
  it.each(found[check])('finds %s, and nothing else does', (_title, product, texts) => {
    expect(findings(product).warnings.list.map(reasonText)).toEqual(texts);
    expect(findings(product).warnings.list.every((reason) => reason.check === check)).toBe(true);
    expect(findings(product).problems.count).toBe(0);
  });

  it('refuses the file where that is configured, unlike the other checks', () => {
    for (const [, product] of found[check]) {
      const { warnings } = findings(product);
      const others = HISTORY_CHECKS.filter((other) => other !== check);
      expect(findings(product, others).problems.count).toBe(0);
      expect(findings(product, [check]).problems.list).toEqual(warnings.list);
    }
  });
});

describe('no check finds', () => {
  const cases: [title: string, product: Case][] = [
    ['a new product of this year', { now: type(1) }],
    [
      'a modification of a known product',
      { now: all(type(2), previous(PREVIOUS)), before: { isPreviousKnown: true } },
    ],
    ['a modification of another submitter’s product', { now: all(type(2), previous('11111-25-00001')) }],
    ['a previous ID of another form, of which the schema warns', { now: all(type(2), previous('7')) }],
    ['an update of a product that is being inserted', { now: type(5), before: { underWay: true } }],
    ['a presentation added', { now: all(type(3), added('FR')), before: known }],
    ['a presentation withdrawn', { now: all(type(4), withdrawn), before: known }],
    ['a presentation removed by type 4', { now: type(4), before: { inserted: inserted(added('FR')) } }],
    [
      'a withdrawn presentation that is gone',
      { now: all(type(5), added('FR')), before: { inserted: inserted(added('FR')) } },
    ],
    [
      'a presentation of a withdrawn market that is gone',
      { now: all(type(3), market('FR')), before: { inserted: inserted(withdrawn) } },
    ],
    ['sales of the year before', { now: all(type(6), sales('2025')), before: known }],
    ['sales of this year in another submission', { now: all(type(5), sales('2026')), before: known }],
    [
      'an update of a product whose first submission is not known',
      { now: type(5), productId: PREVIOUS, before: { inserted: { ...inserted(), firstYear: null } } },
    ],
    ...[3, 4, 5, 6, 7].map((code): [string, Case] => [
      `anything in another tenant’s presentations, type ${code}`,
      { now: type(code), before: { inserted: HIDDEN } },
    ]),
  ];
  it.each(cases)('%s', (_title, product) => {
    expect(findings(product).warnings.list.map(reasonText)).toEqual([]);
  });
});

it('looks up only a previous product of the same submitter', () => {
  const of = (...edits: Edit[]) => previousProductOf(read(all(...edits)));
  expect(of(type(2), previous(PREVIOUS))).toEqual([PREVIOUS]);
  expect(of(type(2), previous('11111-25-00001'))).toEqual([]);
  expect(of(type(2), previous(ID))).toEqual([]);
  expect(of(type(2), previous('x'.repeat(5_000)))).toEqual([]);
  expect(of(type(2))).toEqual([]);
  expect(of(type(5), previous(PREVIOUS))).toEqual([]);
});
