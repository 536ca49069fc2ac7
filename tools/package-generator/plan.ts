/** Plans the product files of a package, and writes them. */
import type { ProductPlan } from './context.ts';
import type { XmlNode } from './document.ts';
import { FILE_FAULT_NAMES, FILE_FAULTS, type FileFault, type FileFaultName, type Outcome } from './faults.ts';
import type { ResolvedOptions } from './options.ts';
import { ecigProductSubmission } from './product.ts';
import { createRandom, uuidOf } from './random.ts';
import { chooseStyles, dropFlags, respell, type StyleName } from './styles.ts';
import { encode, writeXml } from './write.ts';

/** All properties of a product file except its content. */
export interface PlannedFile extends ProductPlan {
  fault: FileFaultName | null;
  /** Variant of the fault; empty when the fault has none. */
  variant: string;
  styles: readonly StyleName[];
  /** Base name of the file: says nothing about the product (package format §1). */
  fileName: string;
}

/**
 * The first nine products show every type, the most usual first; the others follow the frequencies of a large
 * portfolio.
 */
const FIRST_TYPES = [7, 1, 4, 5, 2, 3, 6, 8, 9];
const FREQUENT_TYPES = [7, 7, 7, 7, 7, 1, 1, 1, 4, 4, 5, 5, 2, 3, 6, 8, 9];
const FREQUENT_SUBMISSION_TYPES = [1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7];
const TYPES_WITH_LIQUID = [1, 4, 7];

/** In archive order: good and faulty ones mixed, duplicates after the product that they repeat. */
export function planProducts(options: ResolvedOptions, attachmentIds: readonly string[]): PlannedFile[] {
  const { products, faults, seed } = options;
  const random = createRandom(seed, 'order');
  const wanted = FILE_FAULT_NAMES.flatMap((name) => Array.from({ length: faults[name] ?? 0 }, () => name));
  const good = Array.from({ length: products }, (_, index) => planFile(options, attachmentIds, index, null));
  const faulty = wanted.map((fault, index) => planFile(options, attachmentIds, products + index, fault));
  const isDuplicate = (file: PlannedFile) => faultOf(file).repeats === true;
  const files = random.shuffle([...good, ...faulty.filter((file) => !isDuplicate(file))]);
  for (const duplicate of faulty.filter(isDuplicate)) {
    const original = random.pick(files.filter(({ fault }) => fault === null));
    files.splice(random.int(files.indexOf(original) + 1, files.length), 0, repeat(original, duplicate));
  }
  return files;
}

function repeat(original: PlannedFile, duplicate: PlannedFile): PlannedFile {
  const { fault, variant, fileName, styles } = duplicate;
  if (variant === 'same content') return { ...original, fault, variant, fileName, styles };
  return { ...duplicate, productId: original.productId };
}

export function planFile(
  options: ResolvedOptions,
  attachmentIds: readonly string[],
  ordinal: number,
  fault: FileFaultName | null,
): PlannedFile {
  const { seed, submitterId, year, on, firstNumber, style } = options;
  const random = createRandom(seed, 'plan', ordinal);
  const { variants = [''], needsLiquid, spoil } = faultOf({ fault });
  const number = String(firstNumber + ordinal).padStart(5, '0');
  const usualType = FIRST_TYPES[ordinal] ?? random.pick(FREQUENT_TYPES);
  return {
    seed,
    ordinal,
    submitterId,
    year,
    on,
    attachmentIds,
    productId: `${submitterId}-${String(year % 100).padStart(2, '0')}-${number}`,
    productType: needsLiquid ? random.pick(TYPES_WITH_LIQUID) : usualType,
    submissionType: random.pick(FREQUENT_SUBMISSION_TYPES),
    fault,
    variant: random.pick(variants),
    styles: style === 'varied' && !spoil ? chooseStyles(random, ordinal) : [],
    fileName: `${uuidOf(seed, 'product file', ordinal)}.xml`,
  };
}

/** The bytes of a planned file. The same plan gives the same bytes. */
export function writeProduct(planned: PlannedFile): Buffer {
  const { seed, ordinal, fileName, styles, variant } = planned;
  const random = createRandom(seed, 'writing', ordinal, fileName);
  const document = documentOf(planned);
  respell(document, styles, random);
  const text = writeXml(document, styles, random);
  const spoiled = faultOf(planned).spoil?.(text, variant) ?? text;
  return typeof spoiled === 'string' ? encode(spoiled, styles) : spoiled;
}

/** The importer's answer to a planned file, when nothing of its package was imported before. */
export function outcomeOf(planned: PlannedFile): Outcome {
  return faultOf(planned).outcome ?? 'created';
}

export function faultOf({ fault }: Pick<PlannedFile, 'fault'>): Partial<FileFault> {
  return fault === null ? {} : FILE_FAULTS[fault];
}

/** The intended document. */
export function documentOf(planned: PlannedFile): XmlNode {
  const submission = ecigProductSubmission(planned);
  faultOf(planned).edit?.(submission, planned.variant, planned);
  if (planned.styles.includes('missing-flags'))
    dropFlags(submission, createRandom(planned.seed, 'missing flags', planned.ordinal, planned.fileName));
  return submission;
}
