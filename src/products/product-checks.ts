/**
 * Checks for values that the schema allows but a regulator refuses or questions (docs/product-checks.md): limits of the
 * Directive, dates, check digits, duplicates. A missing value fails no check: the schema rules handle it.
 */
import type { ProductCheck } from '../contract/product-checks.ts';
import { identityOf } from './compared-with-inserted.ts';
import type { EcigProduct, EcigProductSubmission } from './schema/ecig-product.ts';
import type { Leaf } from './schema/leaves.ts';
import { anyDouble } from './schema/lexical.ts';
import { type Place, shown } from './schema/reading.ts';

export interface CheckOptions {
  /** Checks that refuse the file instead of warning. */
  refused?: readonly ProductCheck[];
  /** Notification day of the product, `YYYY-MM-DD`. */
  on: string;
}

/** Records a finding: its place and its description. */
type Finding = (check: ProductCheck, place: Place, message: string) => void;

const MAX_NICOTINE_MG_PER_ML = 20;
const MAX_REFILL_ML = 10;
const MAX_TANK_ML = 2;
const MONTHS_BEFORE_LAUNCH = 6;
/** Submission types that count as new products. Only these are notified before their launch. */
const NOTIFIED_BEFORE_LAUNCH = new Set(['1', '2']);
/** Product types (package format §4) whose liquid comes in a refill container. */
const WITH_REFILL_LIQUID = new Set(['4', '7']);
/** Product types with a tank or cartridge: all but refill containers and products with neither. */
const WITH_TANK = new Set(['1', '2', '3', '4', '5', '6', '8']);
const TRADE_ITEM_NUMBERS = new Set(['UPC', 'EAN', 'GTIN']);

/** The day of now, `YYYY-MM-DD` in UTC. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/** Records findings as problems or as warnings. */
export function finder({ refused = [] }: Pick<CheckOptions, 'refused'>): Finding {
  return (check, place, message) => {
    if (refused.includes(check)) place.refuse(message, undefined, check);
    else place.warn(message, undefined, check);
  };
}

/** @param root the place of `EcigProductSubmission` */
export function checkProduct(submission: EcigProductSubmission, root: Place, options: CheckOptions): void {
  const find = finder(options);
  const place = root.below('Product');
  const { Product: product, SubmissionType: type } = submission;
  checkVolumes(product, place, find);
  checkPresentations(product, place, find);
  if (NOTIFIED_BEFORE_LAUNCH.has(type.value)) checkLaunches(product, place, options.on, find);
  checkIngredients(product, place, find);
  checkEmissions(product, place, find);
}

/** The volume limits apply to liquid with nicotine only. Products declared free of it are exempt. */
function checkVolumes({ ProductType, Volume, Design }: EcigProduct, place: Place, find: Finding): void {
  const design = place.below('Design');
  const { NicotineConcentration: nicotine, LiquidVolumeCapacity: capacity } = Design;
  if (exceeds(nicotine, MAX_NICOTINE_MG_PER_ML)) {
    const message = `${given(nicotine)} mg/ml is more than ${MAX_NICOTINE_MG_PER_ML} mg/ml`;
    find('nicotine_concentration', design.below('NicotineConcentration'), message);
  }
  if (numberOf(nicotine) === 0) return;
  if (WITH_REFILL_LIQUID.has(ProductType.value) && exceeds(Volume, MAX_REFILL_ML)) {
    const message = `${given(Volume)} ml is more than ${MAX_REFILL_ML} ml in a refill container`;
    find('refill_volume', place.below('Volume'), message);
  }
  if (WITH_TANK.has(ProductType.value) && exceeds(capacity, MAX_TANK_ML)) {
    const message = `${given(capacity)} ml is more than ${MAX_TANK_ML} ml in a tank or cartridge`;
    find('tank_volume', design.below('LiquidVolumeCapacity'), message);
  }
}

function checkPresentations({ Presentations }: EcigProduct, product: Place, find: Finding): void {
  const seen = new Map<string, number>();
  Presentations.forEach((presentation, index) => {
    const place = presentationPlace(product, index);
    const { ProductNumber, ProductNumberType, LaunchDate: launch, WithdrawalDate: withdrawal } = presentation;
    if (isDay(launch) && isDay(withdrawal) && withdrawal.value < launch.value) {
      const message = `${given(withdrawal)} is before the launch, ${given(launch)}`;
      find('withdrawal_date', place.below('WithdrawalDate'), message);
    }
    if (
      ProductNumber &&
      TRADE_ITEM_NUMBERS.has(ProductNumberType?.value ?? '') &&
      !hasGtinCheckDigit(ProductNumber.value)
    ) {
      const message = `${given(ProductNumber)} is not a valid ${ProductNumberType?.value}: it must have 8, 12, 13 or 14 digits, and the last must be the correct check digit`;
      find('gtin_check_digit', place.below('ProductNumber'), message);
    }
    const identity = identityOf(presentation);
    const first = seen.get(identity);
    if (first === undefined) seen.set(identity, index + 1);
    else
      find(
        'duplicate_presentation',
        place,
        `has the same market, names and product number as Presentation[${first}]`,
      );
  });
}

function checkLaunches({ Presentations }: EcigProduct, product: Place, on: string, find: Finding): void {
  const earliest = monthsAfter(on, MONTHS_BEFORE_LAUNCH);
  Presentations.forEach(({ LaunchDate: launch }, index) => {
    if (!isDay(launch) || launch.value >= earliest) return;
    const place = presentationPlace(product, index).below('LaunchDate');
    const message = `${given(launch)} is less than ${MONTHS_BEFORE_LAUNCH} months after the notification, ${on}`;
    find('launch_date', place, message);
  });
}

function checkIngredients({ Ingredients = [] }: EcigProduct, product: Place, find: Finding): void {
  Ingredients.forEach(({ CasNumber, AdditionalCasNumbers = [] }, index) => {
    const place = product.below('Ingredients').below('Ingredient', index + 1);
    checkCas(CasNumber, place.below('CasNumber'), find);
    for (const number of AdditionalCasNumbers) {
      // The list has no empty elements, which count in the file.
      const origin = product.findings.origins.get(number);
      checkCas(number, origin?.place ?? place.below('AdditionalCasNumbers'), find);
    }
  });
}

function checkEmissions({ Emissions = [] }: EcigProduct, product: Place, find: Finding): void {
  Emissions.forEach(({ CasNumber, Quantity, Unit }, index) => {
    const place = product.below('Emissions').below('Emission', index + 1);
    checkCas(CasNumber, place.below('CasNumber'), find);
    if (Quantity !== undefined && (Unit === undefined || Unit.value === '')) {
      find('emission_unit', place.below('Unit'), 'is missing, although the emission has a quantity');
    }
  });
}

/** The schema rules warn of numbers in any other form. */
function checkCas(number: Leaf<string> | undefined, place: Place, find: Finding): void {
  if (!number || !/^\d{2,7}-\d{2}-\d$/.test(number.value) || hasCasCheckDigit(number.value)) return;
  find('cas_check_digit', place, `${given(number)} is not a valid CAS number: its check digit is wrong`);
}

/** @param position of the presentation, from 0 */
export const presentationPlace = (product: Place, position: number): Place =>
  product.below('Presentations').below('Presentation', position + 1);

export const given = ({ value, confidential }: Leaf<string>): string => shown(value, confidential);

function exceeds(leaf: Leaf<string> | undefined, most: number): leaf is Leaf<string> {
  const number = numberOf(leaf);
  return number !== null && number > most;
}

/** Null if the value is missing or no number. */
function numberOf(leaf: Leaf<string> | undefined): number | null {
  if (leaf === undefined || 'expected' in anyDouble(leaf.value)) return null;
  const number = Number(leaf.value);
  return Number.isFinite(number) ? number : null;
}

const isDay = (leaf: Leaf<string> | undefined): leaf is Leaf<string> =>
  leaf !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(leaf.value);

/** The same day of a later month, or the last day of a month that is too short. */
function monthsAfter(day: string, months: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  const dayOfMonth = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  if (date.getUTCDate() !== dayOfMonth) date.setUTCDate(0);
  return date.toISOString().slice(0, 10);
}

/**
 * A CAS number of the form `NNNNNNN-NN-N` (package format §9). Its last digit is the sum of the other digits, each times
 * its place from the right.
 */
export function hasCasCheckDigit(number: string): boolean {
  const digits = [...number.replaceAll('-', '')].map(Number).reverse();
  const [check, ...others] = digits;
  return others.reduce((sum, digit, index) => sum + digit * (index + 1), 0) % 10 === check;
}

/** A GTIN of 8, 12, 13 or 14 digits. Every other digit from the right counts threefold. */
export function hasGtinCheckDigit(number: string): boolean {
  if (!/^(?:\d{8}|\d{12,14})$/.test(number)) return false;
  const digits = [...number].map(Number).reverse();
  return digits.reduce((sum, digit, index) => sum + digit * (index % 2 === 1 ? 3 : 1), 0) % 10 === 0;
}
