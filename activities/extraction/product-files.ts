/** Reads a package's product files in archive order, in batches that fit into memory. */
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS, tooLarge } from '../../src/archive/limits.ts';
import { isProductFile, type PackageFile, type PackageReader } from '../../src/archive/package-reader.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import type { Reason } from '../../src/contract/types.ts';
import type { ParseResult } from '../../src/products/parse-product.ts';
import type { ProductParser } from './parser-pool.ts';

/**
 * Limits of a batch, in files and bytes of XML. A batch is looked up and recorded as a whole, while the next one is
 * read.
 */
const BATCH_FILES = 32;
const BATCH_BYTES = 1024 * 1024;
/** Files read ahead while others are parsed. */
const AHEAD = { items: 8, weight: 8 * 1024 * 1024 };

/** A product file and its parse result. */
export interface ReadProduct {
  file: PackageFile;
  /** The file as gzip; null if it was not read to its end. */
  gzip: Buffer | null;
  result: ParseResult | { ok: 'skip'; reasons: Reason[] };
}

type Reading = Pick<PackageReader, 'packed'>;
type Parsing = Pick<ProductParser, 'parse'>;

/** Every file that stands for a product, in archive order. */
export function productFiles({ files }: Pick<PackageReader, 'files'>): PackageFile[] {
  return files.filter(isProductFile);
}

/** Memory of one file from its bytes to its record, as a multiple of its size. */
const COST = 4;
/** Memory for streams, caches, and the parts of an S3 object. */
const FIXED_BYTES = 4 * 1024 * 1024;

/** Memory for reading the contents of a package, in bytes: little for small files. */
export function contentsMemory(reader: Pick<PackageReader, 'files'>): number {
  const sizes = productFiles(reader).map(({ sizeBytes }) =>
    Math.min(sizeBytes, PACKAGE_LIMITS.productFileBytes),
  );
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const ahead = Math.min(AHEAD.items * largest, AHEAD.weight + largest);
  const batches = 2 * Math.min(BATCH_FILES * largest, BATCH_BYTES + largest);
  return FIXED_BYTES + COST * Math.min(total, ahead + batches);
}

/** Reads the next batch while the caller works with the previous one. Ends when the activity is cancelled. */
export async function* readProducts(
  files: PackageFile[],
  reader: Reading,
  parser: Parsing,
): AsyncGenerator<ReadProduct[]> {
  const { cancellationSignal } = Context.current();
  for await (const batch of oneAhead(batches(files, (file) => readProduct(file, reader, parser)))) {
    cancellationSignal.throwIfAborted();
    yield batch;
  }
}

async function* batches(
  files: PackageFile[],
  read: (file: PackageFile) => Promise<ReadProduct>,
): AsyncGenerator<ReadProduct[]> {
  let batch: ReadProduct[] = [];
  let bytes = 0;
  for await (const next of inOrder(files, read, ({ sizeBytes }) => sizeBytes, AHEAD)) {
    batch.push(next);
    bytes += next.gzip === null ? 0 : next.file.sizeBytes;
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Reads one file. Its content never causes an exception.
 *
 * @throws InvalidPackage when the archive is damaged
 */
export async function readProduct(file: PackageFile, reader: Reading, parser: Parsing): Promise<ReadProduct> {
  if (file.kind === 'tobacco-product') {
    const reasons = [plainReason('Tobacco products are not imported.')];
    return { file, gzip: null, result: { ok: 'skip', reasons } };
  }
  const limit = PACKAGE_LIMITS.productFileBytes;
  if (file.sizeBytes > limit) {
    const reasons = [plainReason(tooLarge('the file', file.sizeBytes, limit))];
    return { file, gzip: null, result: { ok: false, reasons, productId: null } };
  }
  return { file, ...(await parser.parse(await reader.packed(file))) };
}

/** Limits of the concurrent work. A single item above `weight` runs alone. */
interface Ahead {
  items: number;
  weight: number;
}

/** Works on a few items at a time and yields the results in the order of the items. */
export async function* inOrder<T, R>(
  items: Iterable<T>,
  work: (item: T) => Promise<R>,
  weightOf: (item: T) => number,
  ahead: Ahead,
): AsyncGenerator<R> {
  const underWay: { result: Promise<R>; weight: number }[] = [];
  let weight = 0;
  const next = async (): Promise<R> => {
    const [first] = underWay;
    if (!first) throw new Error('No task is running');
    const result = await first.result;
    underWay.shift();
    weight -= first.weight;
    return result;
  };
  for (const item of items) {
    const itemWeight = weightOf(item);
    while (underWay.length > 0 && (underWay.length >= ahead.items || weight + itemWeight > ahead.weight))
      yield await next();
    const result = work(item);
    result.catch(() => {}); // Reported when it is awaited.
    underWay.push({ result, weight: itemWeight });
    weight += itemWeight;
  }
  while (underWay.length > 0) yield await next();
}

/** Fetches the next item while the caller works with the previous one. */
export async function* oneAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = items.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      next.catch(() => {}); // Reported when it is awaited.
      yield value;
    }
  } finally {
    // A caller that stops early may close the source of the items: this waits for the pending read.
    await items.return(undefined);
  }
}
