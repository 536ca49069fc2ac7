/**
 * Checks of products that the schema allows but a regulator would refuse or question. A check adds a warning to the
 * product. If `REFUSED_PRODUCT_CHECKS` names the check, the file is refused instead. docs/product-checks.md has a line for
 * each, in the same words. A check is never renamed or given another meaning. New checks may be added.
 */
interface CheckEntry {
  /** Document that contains the rule. */
  source: string;
  /** The end of a sentence that begins with "Warns when". */
  warnsWhen: string;
}

const ENTRIES = {
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

export type ProductCheck = keyof typeof ENTRIES;

export const PRODUCT_CHECKS = Object.keys(ENTRIES) as [ProductCheck, ...ProductCheck[]];

/** The document that contains the rule of a check. */
export const sourceOf = (check: ProductCheck): string => ENTRIES[check].source;

/** The condition of a check, as the end of a sentence that begins with "Warns when". */
export const warnsWhen = (check: ProductCheck): string => ENTRIES[check].warnsWhen;

/** Whether this version knows the check. */
export function isProductCheck(name: string): name is ProductCheck {
  return Object.hasOwn(ENTRIES, name);
}
