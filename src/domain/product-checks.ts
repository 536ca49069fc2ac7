/**
 * What a regulator would bounce or ask about though the schema allows it: each a warning on the product, or, where
 * `REFUSED_PRODUCT_CHECKS` names it, a reason to refuse its file. docs/product-checks.md has a line for each. Names
 * are never renamed or given another meaning; new ones may come.
 */
const SOURCES = {
  nicotine_concentration: 'Directive 2014/40/EU, Article 20(3)(b)',
  refill_volume: 'Directive 2014/40/EU, Article 20(3)(a)',
  tank_volume: 'Directive 2014/40/EU, Article 20(3)(a)',
  launch_date: 'Directive 2014/40/EU, Article 20(2)',
  withdrawal_date: 'package format §9',
  cas_check_digit: 'package format §9',
  gtin_check_digit: 'package format §9',
  emission_unit: 'package format §9',
  duplicate_presentation: 'package format §9',
} as const;

export type ProductCheck = keyof typeof SOURCES;

export const PRODUCT_CHECKS = Object.keys(SOURCES) as [ProductCheck, ...ProductCheck[]];

/** Where the rule of a check is written. */
export const sourceOf = (check: ProductCheck): string => SOURCES[check];
