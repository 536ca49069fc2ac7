/** The options of a package, with defaults and limits, and their spelling on the command line. */
import { z } from 'zod';
import { FAULT_NAMES, type FaultName, FILE_FAULT_NAMES } from './faults.ts';

const MIB = 1024 * 1024;
const LARGEST_DEFAULT_ATTACHMENT = 64 * MIB;
const DEFAULT_BYTES_PER_ATTACHMENT = 24 * 1024;
const LAST_NUMBER = 99_999;

const count = z.int().min(0).max(LAST_NUMBER);

const schema = z.strictObject({
  /** Number of good products; faulty files come on top. */
  products: count.default(10),
  /** The same options on the same day give the same bytes. */
  seed: z.int().default(1),
  /** Number of attachments. By default one for three products, and none larger than 64 MiB. */
  attachments: count.optional(),
  /** Size of all attachment contents together, in bytes, before they are written as base64. */
  attachmentBytes: z.int().min(0).optional(),
  submitterId: z
    .string()
    .regex(/^[0-9]{5}$/, 'must be five digits')
    .default('99962'),
  /** Year of first submission, as in the product IDs. */
  year: z.int().min(2017).max(2096).default(2022),
  /** The day on which the package is made: new products are launched half a year later at the earliest. Default today. */
  on: z.iso.date().default(() => new Date().toISOString().slice(0, 10)),
  /**
   * Running number of the first product ID. Packages with overlapping numbers hold the same products: with the same seed
   * unchanged, with another seed changed.
   */
  firstNumber: count.default(1),
  /** How many files have each fault. */
  faults: z.partialRecord(z.enum(FAULT_NAMES), count).default({}),
  /** `plain`: clean UTF-8, valid against the official schema. `varied`: mixes the writing styles. */
  style: z.enum(['plain', 'varied']).default('plain'),
});

export type PackageOptions = z.input<typeof schema>;
type Parsed = z.output<typeof schema>;
export type ResolvedOptions = { [Name in keyof Parsed]-?: NonNullable<Parsed[Name]> };
export type Faults = ResolvedOptions['faults'];

/** @throws RangeError that names the option at fault */
export function resolveOptions(options: PackageOptions): ResolvedOptions {
  const { success, data, error } = schema.safeParse(options);
  if (!success) {
    const [issue] = error.issues;
    throw new RangeError(`Invalid option ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { products, faults, firstNumber, attachmentBytes } = data;
  const attachments = data.attachments ?? defaultAttachments(products, attachmentBytes);
  if (attachments === 0 && (attachmentBytes ?? 0) > 0)
    throw new RangeError('Invalid option attachments: 0 attachments must have 0 bytes');
  if ((faults['duplicate-product'] ?? 0) > 0 && products === 0)
    throw new RangeError('Invalid option faults: duplicate-product needs at least one good product');
  const files = FILE_FAULT_NAMES.reduce((sum, name) => sum + (faults[name] ?? 0), products);
  if (firstNumber + files - 1 > LAST_NUMBER)
    throw new RangeError(
      `Invalid option firstNumber: ${files} product numbers from there on exceed ${LAST_NUMBER}`,
    );
  const bytes = attachmentBytes ?? attachments * DEFAULT_BYTES_PER_ATTACHMENT;
  return { ...data, attachments, attachmentBytes: bytes };
}

function defaultAttachments(products: number, bytes: number | undefined): number {
  const perProduct = Math.ceil(products / 3);
  if (bytes === undefined) return perProduct;
  const fewest = Math.ceil(bytes / LARGEST_DEFAULT_ATTACHMENT);
  return Math.max(Math.min(Math.max(perProduct, 1), Math.ceil(bytes / 1024)), fewest);
}

/**
 * Adds a fault like `malformed=2` to others; without a number it is 1.
 * @throws RangeError for unknown faults and for an invalid number
 */
export function addFault(text: string, faults: Faults = {}): Faults {
  const [, name = text, number = '1'] = /^([^=]*)(?:=(\d{1,5}))?$/.exec(text) ?? [];
  const known = FAULT_NAMES.find((one): one is FaultName => one === name);
  if (known) return { ...faults, [known]: (faults[known] ?? 0) + Number(number) };
  throw new RangeError(`"${text}" is not a fault; expected a name, or name=3, of ${FAULT_NAMES.join(', ')}`);
}
