/** The facts about a product that the makers of its sections share, and its numbers and dates in many spellings. */
import { type Content, reference, references } from './document.ts';
import { createRandom, type Random, uuidOf } from './random.ts';

/** All properties of a product that are decided before its file is made. */
export interface ProductPlan {
  seed: number;
  /** Position among the planned files, from 0: with the seed it determines the content. */
  ordinal: number;
  productId: string;
  /** Code of the product type, 1–9 (package format §4). */
  productType: number;
  /** Code of the submission type, 1–7. */
  submissionType: number;
  submitterId: string;
  /** Four digits. */
  year: number;
  /** The day on which the package is made, `YYYY-MM-DD`. */
  on: string;
  /** IDs of attachments to refer to. Without any, references are to attachments sent earlier. */
  attachmentIds: readonly string[];
}

/** The facts about a product that the makers of its sections share. */
export interface Context {
  plan: ProductPlan;
  random: Random;
  attach(): Content;
  attachSome(most: number): Content;
  hasLiquid: boolean;
  hasBattery: boolean;
  hasCoil: boolean;
}

export function createContext(plan: ProductPlan): Context {
  const random = createRandom(plan.seed, 'product', plan.ordinal);
  const nextId = attachmentPicker(plan);
  return {
    plan,
    random,
    attach: () => reference(nextId()),
    attachSome: (most) => references(Array.from({ length: random.int(1, most) }, nextId)),
    hasLiquid: ![3, 5, 8].includes(plan.productType),
    hasBattery: ![7, 8].includes(plan.productType),
    hasCoil: plan.productType !== 7,
  };
}

/** Each product starts at its own place in the list, so that a large enough package refers to every attachment. */
function attachmentPicker({ seed, ordinal, attachmentIds }: ProductPlan): () => string {
  const random = createRandom(seed, 'references', ordinal);
  const sentEarlier = Array.from({ length: 5 }, (_, index) => uuidOf(seed, 'earlier attachment', index));
  const pool = attachmentIds.length > 0 ? attachmentIds : sentEarlier;
  // A product refers to few attachments, to some of them repeatedly.
  const others = Array.from({ length: 6 }, () => random.pick(pool));
  let own = pool[ordinal % pool.length];
  return () => {
    const id = own ?? random.pick(others);
    own = undefined;
    return id;
  };
}

/**
 * A positive quantity of about 10^magnitude in a valid spelling of `xs:double`, which an importer has to keep as it is.
 */
export function quantity(random: Random, magnitude: number): string {
  const value = random.int(100, 999_999) / 100_000;
  const scaled = value * 10 ** magnitude;
  const plain = scaled.toFixed(Math.min(12, Math.max(2, 4 - Math.floor(Math.log10(scaled)))));
  const rare = [
    String(Math.max(1, Math.round(scaled))),
    `${plain}${random.digits(12)}${random.int(1, 9)}`,
    `${value.toFixed(3)}E${magnitude}`,
    `${Math.ceil(value)}e${magnitude >= 0 ? '+' : ''}${magnitude}`,
    `00${plain}`,
    `${plain}00`,
    `+${plain}`,
  ];
  return random.chance(0.6) ? plain : random.pick(rare);
}

/** A number with few decimals in a range, as a technical data sheet gives it. */
export function measure(random: Random, from: number, to: number, decimals: number): string {
  const scale = 10 ** decimals;
  return String(random.int(Math.round(from * scale), Math.round(to * scale)) / scale);
}

/** A day of the year, `YYYY-MM-DD`. */
export function dayOf(random: Random, year: number): string {
  return daysAfter(`${year}-01-01`, random.int(0, 364));
}

export function daysAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/**
 * A trade item number of `length` digits. Some begin with zeros; in the check digit's sum every other digit counts
 * threefold.
 */
export function tradeItemNumber(random: Random, length: 12 | 13 | 14): string {
  const digits = `${random.pick(['0', '00', '4', '5', '87'])}${random.digits(length)}`.slice(0, length - 1);
  const fromRight = [...digits].reverse().map(Number);
  const sum = fromRight.reduce((total, digit, index) => total + digit * (index % 2 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
