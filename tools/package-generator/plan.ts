/** Which product files a package has, in which order; everything about them but their content. */
import { FILE_FAULT_NAMES } from './faults.ts';
import { FILE_FAULTS, type FileFault, type FileFaultName } from './file-faults.ts';
import type { ResolvedOptions } from './options.ts';
import type { ProductPlan } from './product/context.ts';
import { createRandom, type Random, uuidOf } from './random.ts';
import { chooseStyles, type StyleName } from './xml/styles.ts';

export interface PlannedFile extends ProductPlan {
  fault: FileFaultName | null;
  /** Which of the fault's variants; empty when it has none. */
  variant: string;
  styles: StyleName[];
  /** Base name of the file: says nothing about the product (package format §1). */
  fileName: string;
}

/** The first nine products show every type, the most usual first. */
const FIRST_TYPES = [7, 1, 4, 5, 2, 3, 6, 8, 9];

/** Code and weight of product types in a large portfolio. */
const TYPE_WEIGHTS = [
  [1, 20],
  [2, 8],
  [3, 6],
  [4, 12],
  [5, 12],
  [6, 6],
  [7, 30],
  [8, 4],
  [9, 2],
] as const;
const SUBMISSION_TYPE_WEIGHTS = [
  [1, 50],
  [2, 12],
  [3, 8],
  [4, 8],
  [5, 8],
  [6, 8],
  [7, 6],
] as const;
const TYPES_WITH_LIQUID = [1, 4, 7];

/** In archive order: good and faulty ones mixed, duplicates after what they repeat. */
export function planProducts(options: ResolvedOptions, attachmentIds: readonly string[]): PlannedFile[] {
  const { products, faults, seed } = options;
  const wanted = FILE_FAULT_NAMES.flatMap((name) =>
    Array.from<FileFaultName>({ length: faults[name] ?? 0 }).fill(name),
  );
  const plan = (fault: FileFaultName | null, ordinal: number) =>
    planFile(options, attachmentIds, ordinal, fault);
  const good = Array.from({ length: products }, (_, index) => plan(null, index));
  const faulty = wanted.map((fault, index) => plan(fault, products + index));
  const random = createRandom(seed, 'order');
  const originals = random.shuffle([...good, ...faulty.filter(({ fault }) => fault !== 'duplicate-product')]);
  return withDuplicates(
    originals,
    faulty.filter(({ fault }) => fault === 'duplicate-product'),
    random,
  );
}

/** The plan of one file, the `ordinal`-th of its package. */
export function planFile(
  options: Pick<ResolvedOptions, 'seed' | 'submitterId' | 'year' | 'on' | 'firstNumber' | 'style'>,
  attachmentIds: readonly string[],
  ordinal: number,
  faultName: FileFaultName | null,
): PlannedFile {
  const { seed, submitterId, year, on, firstNumber, style } = options;
  const random = createRandom(seed, 'plan', ordinal);
  const fault: FileFault | null = faultName === null ? null : FILE_FAULTS[faultName];
  const usualType = FIRST_TYPES[ordinal] ?? random.weighted(TYPE_WEIGHTS);
  return {
    seed,
    ordinal,
    submitterId,
    year,
    on,
    attachmentIds,
    productId: `${submitterId}-${String(year % 100).padStart(2, '0')}-${String(firstNumber + ordinal).padStart(5, '0')}`,
    productType: fault?.needsLiquid ? random.pick(TYPES_WITH_LIQUID) : usualType,
    submissionType: random.weighted(SUBMISSION_TYPE_WEIGHTS),
    fault: faultName,
    variant: fault?.variants ? random.pick(fault.variants) : '',
    styles: style === 'varied' && !fault?.spoil ? chooseStyles(random, ordinal) : [],
    fileName: `${uuidOf(seed, 'product file', ordinal)}.xml`,
  };
}

function withDuplicates(
  originals: readonly PlannedFile[],
  duplicates: readonly PlannedFile[],
  random: Random,
): PlannedFile[] {
  const files = [...originals];
  for (const duplicate of duplicates) {
    const places = [...files.keys()].filter((index) => files[index]?.fault === null);
    const place = random.pick(places);
    const repeated = files[place];
    if (repeated) files.splice(random.int(place + 1, files.length), 0, repeat(repeated, duplicate));
  }
  return files;
}

function repeat(original: PlannedFile, duplicate: PlannedFile): PlannedFile {
  const { fault, variant, fileName, styles } = duplicate;
  if (variant === 'same content') return { ...original, fault, variant, fileName, styles };
  return { ...duplicate, productId: original.productId };
}
