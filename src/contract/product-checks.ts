/**
 * Checks of products that the schema allows but a regulator would refuse or question. A check adds a warning to the
 * product. If `REFUSED_PRODUCT_CHECKS` names the check, the file is refused instead. docs/product-checks.md is
 * written from this table. A check is never renamed or given another meaning. New checks may be added.
 */
interface CheckEntry {
  /** Document that contains the rule. */
  source: string;
  /** The end of a sentence that begins with "Warns when". */
  warnsWhen: string;
}

/** Checks of the file alone. */
const OF_VALUES = {
  nicotine_concentration: {
    source: 'Directive 2014/40/EU, Article 20(3)(b)',
    warnsWhen: 'NicotineConcentration is above 20 mg/ml',
  },
  refill_volume: {
    source: 'Directive 2014/40/EU, Article 20(3)(a)',
    warnsWhen: 'a refill container (types 4, 7) holds more than 10 ml, unless NicotineConcentration is 0',
  },
  tank_volume: {
    source: 'Directive 2014/40/EU, Article 20(3)(a)',
    warnsWhen:
      'a tank or cartridge (types 1–6, 8) holds more than 2 ml (LiquidVolumeCapacity), unless NicotineConcentration is 0',
  },
  launch_date: {
    source: 'Directive 2014/40/EU, Article 20(2)',
    warnsWhen:
      'a new product or substantial modification (submission types 1, 2) is launched less than six months after the day on which it is read',
  },
  withdrawal_date: {
    source: 'package format §9',
    warnsWhen: 'a presentation is withdrawn before its launch',
  },
  cas_check_digit: {
    source: 'package format §9',
    warnsWhen:
      'the check digit of a CAS number of an ingredient or emission is wrong: the last digit must be the sum of the others, each times its place from the right, modulo 10',
  },
  gtin_check_digit: {
    source: 'package format §9',
    warnsWhen:
      'a product number of type UPC, EAN or GTIN does not have 8, 12, 13 or 14 digits, or its check digit is wrong',
  },
  emission_unit: {
    source: 'package format §9',
    warnsWhen: 'an emission has a quantity but no unit',
  },
  duplicate_presentation: {
    source: 'package format §9',
    warnsWhen: 'two presentations have the same market, brand, subtype and product number',
  },
} as const satisfies Record<string, CheckEntry>;

/** Checks against what was inserted of the product before. */
const OF_HISTORY = {
  known_product: {
    source: 'package format §4',
    warnsWhen:
      'a new product or substantial modification (submission types 1, 2) has a product ID that was inserted before',
  },
  unknown_product: {
    source: 'package format §4. The service knows only what it has inserted itself',
    warnsWhen:
      'an update (submission types 3–7) is of a product that was not inserted before and is not being inserted',
  },
  previous_product: {
    source: 'package format §3, §4. The service knows only what it has inserted itself',
    warnsWhen:
      'a substantial modification (submission type 2) has no PreviousProductID, the new product ID there, or one of the same submitter that was not inserted before and is not being inserted',
  },
  added_presentation: {
    source: 'package format §4',
    warnsWhen: 'submission type 3 adds no presentation',
  },
  withdrawn_presentation: {
    source: 'package format §4',
    warnsWhen: 'submission type 4 neither removes nor withdraws a presentation',
  },
  vanished_presentation: {
    source: 'package format §4: only submission type 4 removes presentations',
    warnsWhen:
      'a presentation that was inserted without a withdrawal is missing, and the submission type is not 4',
  },
  returned_presentation: {
    source: 'not verified: no public document was found that forbids it',
    warnsWhen: 'a presentation that was inserted as withdrawn is no longer withdrawn',
  },
  product_id_year: {
    source: 'package format §2',
    warnsWhen:
      'the year in the product ID is not the year of the first submission (types 1, 2): this one, or the first that was inserted',
  },
  annual_data_year: {
    source:
      'Directive 2014/40/EU, Article 20(7), for the annual report. Not verified: that its year has to be over',
    warnsWhen: 'annual data (submission type 6) has sales of a year that has not ended',
  },
} as const satisfies Record<string, CheckEntry>;

const ENTRIES = { ...OF_VALUES, ...OF_HISTORY };

export type ProductCheck = keyof typeof ENTRIES;

/** A check against what was inserted before. */
export type HistoryCheck = keyof typeof OF_HISTORY;

export const PRODUCT_CHECKS = Object.keys(ENTRIES) as [ProductCheck, ...ProductCheck[]];

export const HISTORY_CHECKS = Object.keys(OF_HISTORY) as [HistoryCheck, ...HistoryCheck[]];

/** The document that contains the rule of a check. */
export const sourceOf = (check: ProductCheck): string => ENTRIES[check].source;

/** The condition of a check, as the end of a sentence that begins with "Warns when". */
export const warnsWhen = (check: ProductCheck): string => ENTRIES[check].warnsWhen;

/** Whether this version knows the check. */
export function isProductCheck(name: string): name is ProductCheck {
  return Object.hasOwn(ENTRIES, name);
}
