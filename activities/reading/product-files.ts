/** Reads a package's product files in archive order, in batches that fit into memory. */
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS, tooLarge } from '../../src/archive/limits.ts';
import { isProductFile, type PackageFile, type PackageReader } from '../../src/archive/package-reader.ts';
import { readAhead } from '../../src/common/read-ahead.ts';
import { createSemaphore } from '../../src/common/semaphore.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import type { Reason } from '../../src/contract/types.ts';
import type { ParseResult } from '../../src/products/parse-product.ts';
import type { ProductParser } from './parser-pool.ts';

/**
 * Limits of a batch, in files and bytes of XML. A batch is read, looked up and recorded as a whole. The next one is read
 * meanwhile.
 */
const BATCH_FILES = 32;
const BATCH_BYTES = 1024 * 1024;
/** Files of a batch that are read at once. Each may cost a request to a bucket, and a block of its cache. */
const READ_AT_ONCE = 8;

/** A product file and its parse result. */
export interface ReadProduct {
  file: PackageFile;
  /** The file as gzip; null if it was not read to its end. */
  gzip: Buffer | null;
  result: ParseResult | { ok: 'skip'; reasons: Reason[] };
}

type Reading = Pick<PackageReader, 'packed'>;
type Parsing = Pick<ProductParser, 'parse'>;

/** Every file of the kinds of products, in archive order. */
export function productFiles({ files }: Pick<PackageReader, 'files'>): PackageFile[] {
  return files.filter(isProductFile);
}

/** Memory of one file from its bytes to its record, as a multiple of its size. */
const COST = 4;
/** Memory for streams and caches, and a part of 1 MiB of an S3 object for each file that is read. */
const FIXED_BYTES = (4 + READ_AT_ONCE) * 1024 * 1024;

/** Memory for reading the contents of a package, in bytes: little for small files. */
export function contentsMemory(reader: Pick<PackageReader, 'files'>): number {
  const sizes = productFiles(reader).map(bytesToRead);
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const batch = Math.min(BATCH_FILES * largest, BATCH_BYTES + largest);
  return FIXED_BYTES + COST * Math.min(total, 2 * batch);
}

/** Reads the next batch while the caller works with the previous one. Ends when the activity is cancelled. */
export async function* readProducts(
  files: PackageFile[],
  reader: Reading,
  parser: Parsing,
): AsyncGenerator<ReadProduct[]> {
  const { cancellationSignal } = Context.current();
  const places = createSemaphore(READ_AT_ONCE);
  const packed: Reading['packed'] = (file) =>
    places.reserve(1).then((release) => reader.packed(file).finally(release));
  for await (const batch of readAhead(batches(files, (file) => readProduct(file, { packed }, parser)))) {
    cancellationSignal.throwIfAborted();
    yield batch;
  }
}

/** Works on all files of a batch at the same time. A batch ends with the file that reaches one of its limits. */
export async function* batches<R>(
  files: readonly PackageFile[],
  read: (file: PackageFile) => Promise<R>,
): AsyncGenerator<R[]> {
  let batch: PackageFile[] = [];
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    batch.push(file);
    bytes += bytesToRead(file);
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES && index < files.length - 1) continue;
    yield await Promise.all(batch.map(read));
    batch = [];
    bytes = 0;
  }
}

/** Size of a file that is read; 0 for any other. */
function bytesToRead(file: PackageFile): number {
  return refusalOf(file) === null ? file.sizeBytes : 0;
}

/** The result of a file that is not read; null for one that is. */
function refusalOf(file: PackageFile): ReadProduct['result'] | null {
  if (file.kind === 'tobacco-product')
    return { ok: 'skip', reasons: [plainReason('Tobacco products are not imported.')] };
  const limit = PACKAGE_LIMITS.productFileBytes;
  if (file.sizeBytes > limit)
    return {
      ok: false,
      reasons: [plainReason(tooLarge('the file', file.sizeBytes, limit))],
      productId: null,
    };
  return null;
}

/**
 * Reads one file. Its content never causes an exception.
 *
 * @throws InvalidPackage when the archive is damaged
 */
export async function readProduct(file: PackageFile, reader: Reading, parser: Parsing): Promise<ReadProduct> {
  const refusal = refusalOf(file);
  if (refusal !== null) return { file, gzip: null, result: refusal };
  return { file, ...(await parser.parse(await reader.packed(file))) };
}
