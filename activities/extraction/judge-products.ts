/** Reads and judges a package's product files, in archive order, in batches that fit into memory. */
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS } from '../../src/archive/limits.ts';
import type { PackageFile, PackageReader } from '../../src/archive/package-reader.ts';
import type { ProductParser } from '../../src/products/parser-pool.ts';
import { inOrder, oneAhead } from './in-order.ts';
import { type Judgement, judge, type Known, type ReadFile } from './judge-product.ts';

/**
 * A batch is looked up, and recorded, at once, while the next one is read: at most this many files and bytes of XML.
 */
const BATCH_FILES = 32;
const BATCH_BYTES = 1024 * 1024;
/** Files read ahead while others are parsed. */
const AHEAD = { items: 8, weight: 8 * 1024 * 1024 };

/** Which products, attachments and submitters a batch refers to. */
export interface References {
  productIds: string[];
  attachmentIds: string[];
  submitterIds: string[];
}

export interface Judging {
  reader: PackageReader;
  parser: ProductParser;
  /** Products of the package that have been judged before; each further one is added. */
  seen: Set<string>;
  /** What is known about what a batch refers to. */
  lookUp(references: References): Promise<Known>;
}

/** Every file that stands for a product, in archive order. */
export function productFiles({ files }: PackageReader): PackageFile[] {
  return files.filter(({ kind }) => kind === 'product' || kind === 'tobacco-product');
}

export async function* judgeProducts(
  files: PackageFile[],
  { reader, parser, seen, lookUp }: Judging,
): AsyncGenerator<Judgement[]> {
  const { cancellationSignal } = Context.current();
  for await (const batch of oneAhead(batches(files, (file) => readProduct(file, reader, parser)))) {
    cancellationSignal.throwIfAborted();
    const known = await lookUp(referencesOf(batch));
    yield batch.map((read) => judge(read, seen, known));
  }
}

async function* batches(
  files: PackageFile[],
  read: (file: PackageFile) => Promise<ReadFile>,
): AsyncGenerator<ReadFile[]> {
  let batch: ReadFile[] = [];
  let bytes = 0;
  for await (const next of inOrder(files, read, ({ sizeBytes }) => sizeBytes, AHEAD)) {
    batch.push(next);
    bytes += next.bytes?.length ?? 0;
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function referencesOf(batch: ReadFile[]): References {
  const products = batch.flatMap(({ result }) => (result.ok === true ? result.product : []));
  const attachmentIds = products.flatMap(({ attachments }) => attachments.map((one) => one.attachmentId));
  return {
    productIds: products.map(({ productId }) => productId),
    attachmentIds: [...new Set(attachmentIds)],
    submitterIds: [...new Set(products.flatMap(({ submitterId }) => submitterId ?? []))],
  };
}

async function readProduct(
  file: PackageFile,
  reader: PackageReader,
  parser: ProductParser,
): Promise<ReadFile> {
  if (file.kind === 'tobacco-product') {
    return { file, bytes: null, result: { ok: 'skip', reason: 'Tobacco products are not imported.' } };
  }
  const limit = PACKAGE_LIMITS.productFileBytes;
  if (file.sizeBytes > limit) {
    const reason = `the file is ${file.sizeBytes} bytes large; at most ${limit} are accepted`;
    return { file, bytes: null, result: { ok: false, reason, productId: null } };
  }
  const bytes = await reader.read(file);
  return { file, bytes, result: await parser.parse(bytes) };
}
