/** What a caller may ask for, with defaults and limits. */
import { FAULT_NAMES, type Faults, PACKAGE_FAULT_NAMES } from './faults.ts';

export type WritingStyle = 'plain' | 'varied';

export interface PackageOptions {
  /** Number of good products; faulty files come on top. Default 10. */
  products?: number;
  /** Same options on the same day, same bytes. A whole number; default 1. */
  seed?: number;
  /** Size of all attachment contents together, in bytes, before they are written as base64. */
  attachmentBytes?: number;
  /** Number of attachments. By default one for three products, and none larger than 64 MiB. */
  attachments?: number;
  /**
   * Stores attachments without compressing them. Base64 shrinks by a quarter at most, which for
   * gigabytes takes minutes. Default false.
   */
  storeAttachments?: boolean;
  /** Five digits; default `99962`. */
  submitterId?: string;
  /** Year of first submission, as in the product IDs, 2017–2096; default 2022. */
  year?: number;
  /** The day on which the package is made, `YYYY-MM-DD`: new products are launched half a year later at the earliest. Default today. */
  on?: string;
  /**
   * Running number of the first product ID; default 1. Packages with overlapping numbers hold the same
   * products: with the same seed unchanged, with another seed changed.
   */
  firstNumber?: number;
  /** Name of the root directory; default `euceg-export`. */
  root?: string;
  /** How many files have each fault (`describeFaults`). */
  faults?: Faults;
  /** `plain`: clean UTF-8, valid against the official schema. `varied`: mixes the writing styles. Default `plain`. */
  style?: WritingStyle;
}

export type ResolvedOptions = Required<PackageOptions>;

const MIB = 1024 * 1024;
const LARGEST_DEFAULT_ATTACHMENT = 64 * MIB;
const DEFAULT_BYTES_PER_ATTACHMENT = 24 * 1024;
const LAST_NUMBER = 99_999;

/** @throws RangeError that names the option at fault */
export function resolveOptions(options: PackageOptions): ResolvedOptions {
  const products = whole('products', options.products ?? 10, 0, LAST_NUMBER);
  const attachments = whole(
    'attachments',
    options.attachments ?? defaultAttachments(products, options.attachmentBytes),
    0,
    100_000,
  );
  const resolved = {
    products,
    attachments,
    seed: whole('seed', options.seed ?? 1, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    attachmentBytes: whole(
      'attachmentBytes',
      options.attachmentBytes ?? attachments * DEFAULT_BYTES_PER_ATTACHMENT,
      0,
      Number.MAX_SAFE_INTEGER,
    ),
    storeAttachments: options.storeAttachments ?? false,
    submitterId: options.submitterId ?? '99962',
    year: whole('year', options.year ?? 2022, 2017, 2096),
    on: day('on', options.on ?? new Date().toISOString().slice(0, 10)),
    firstNumber: whole('firstNumber', options.firstNumber ?? 1, 0, LAST_NUMBER),
    root: options.root ?? 'euceg-export',
    faults: options.faults ?? {},
    style: options.style ?? 'plain',
  };
  requireSense(resolved);
  return resolved;
}

/** How many product files there are, tobacco products included. */
export function countProductFiles({ products, faults }: ResolvedOptions): number {
  const ofPackage: readonly string[] = PACKAGE_FAULT_NAMES;
  return Object.entries(faults).reduce(
    (sum, [name, n]) => (ofPackage.includes(name) ? sum : sum + n),
    products,
  );
}

function requireSense(options: ResolvedOptions): void {
  const { submitterId, root, faults, attachments, attachmentBytes, products, firstNumber } = options;
  if (!/^[0-9]{5}$/.test(submitterId))
    throw new RangeError(`submitterId must be five digits, not "${submitterId}"`);
  if (!/^[^/\\\0]{1,200}$/.test(root) || root === '.' || root === '..')
    throw new RangeError(`root must be the name of a directory, not "${root}"`);
  if (options.style !== 'plain' && options.style !== 'varied')
    throw new RangeError(`style must be plain or varied, not "${String(options.style)}"`);
  const known: readonly string[] = FAULT_NAMES;
  for (const [name, n] of Object.entries(faults)) {
    if (!known.includes(name)) throw new RangeError(`"${name}" is no fault; there are ${known.join(', ')}`);
    whole(`the number of faults ${name}`, n, 0, LAST_NUMBER);
  }
  if ((faults['duplicate-product'] ?? 0) > 0 && products === 0)
    throw new RangeError('duplicate-product needs at least one good product');
  if (attachments === 0 && attachmentBytes > 0)
    throw new RangeError('attachmentBytes is more than 0, but attachments is 0');
  const last = firstNumber + countProductFiles(options) - 1;
  if (last > LAST_NUMBER)
    throw new RangeError(`Product numbers end at ${LAST_NUMBER}, but ${last} would be needed`);
}

function defaultAttachments(products: number, bytes: number | undefined): number {
  const perProduct = Math.ceil(products / 3);
  if (bytes === undefined) return perProduct;
  if (bytes === 0) return 0;
  return Math.max(
    1,
    Math.min(perProduct, Math.ceil(bytes / 1024)),
    Math.ceil(bytes / LARGEST_DEFAULT_ATTACHMENT),
  );
}

function whole(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
}

function day(name: string, value: string): string {
  const date = new Date(`${value}T00:00:00Z`);
  if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) && value.length === 10)
    return value;
  throw new RangeError(`${name} must be a day, YYYY-MM-DD, not "${value}"`);
}
