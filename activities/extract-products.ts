/**
 * Judges every product file of a package: created, skipped or failed (design §5). In archive order, in
 * batches, each file once: a retry goes on after the last recorded one.
 */
import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS } from '../src/archive/limits.ts';
import type { PackageFile, PackageReader } from '../src/archive/package-reader.ts';
import type { FileOutcome, LatestSubmission } from '../src/database/repositories/extraction.ts';
import { INSERT_STEPS, type InsertStep } from '../src/domain/steps.ts';
import type { ParseResult } from '../src/products/parse-product.ts';
import type { ImportDependencies } from './dependencies.ts';
import { inOrder } from './in-order.ts';

/** Outcomes recorded in one transaction: at most this many files and bytes of XML. */
const FLUSH_FILES = 100;
const FLUSH_BYTES = 8 * 1024 * 1024;
/** Files read ahead while others are parsed. */
const AHEAD = { items: 8, weight: 16 * 1024 * 1024 };

interface ReadFile {
  file: PackageFile;
  /** Null where the file was not read at all. */
  bytes: Buffer | null;
  result: ParseResult | { ok: 'skip'; reason: string };
}

export async function extractProducts(
  { database: { extraction }, parser }: Pick<ImportDependencies, 'database' | 'parser'>,
  { id: importId, comment }: { id: number; comment?: string | null | undefined },
  reader: PackageReader,
  report: (progress: { phase: 'products'; done: number; total: number }) => void,
): Promise<void> {
  const files = reader.files.filter(({ kind }) => kind === 'product' || kind === 'tobacco-product');
  const recorded = await extraction.recorded(importId);
  const pending = files.filter(({ path }) => !recorded.paths.has(path));
  const { cancellationSignal } = Context.current();
  let done = files.length - pending.length;
  let batch: ReadFile[] = [];
  let batchBytes = 0;

  const flush = async () => {
    const productIds = batch.flatMap(({ result }) => (result.ok === true ? result.product.productId : []));
    const latest = await extraction.latestSubmissions(importId, productIds);
    await extraction.record(
      importId,
      comment ?? null,
      batch.map((read) => judge(read, recorded.productIds, latest)),
    );
    done += batch.length;
    batch = [];
    batchBytes = 0;
    report({ phase: 'products', done, total: files.length });
  };

  const read = (file: PackageFile) => readProduct(file, reader, parser);
  for await (const next of inOrder(pending, read, ({ sizeBytes }) => sizeBytes, AHEAD)) {
    cancellationSignal.throwIfAborted();
    batch.push(next);
    batchBytes += next.bytes?.length ?? 0;
    if (batch.length >= FLUSH_FILES || batchBytes >= FLUSH_BYTES) await flush();
  }
  await flush();
}

async function readProduct(
  file: PackageFile,
  reader: PackageReader,
  parser: ImportDependencies['parser'],
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

/** @param seen products of this package so far; the judged one is added */
function judge(
  { file, bytes, result }: ReadFile,
  seen: Set<string>,
  latest: Map<string, LatestSubmission>,
): FileOutcome {
  const entry = { entryIndex: file.index, entryPath: file.path, xmlFile: file.name };
  if (result.ok === 'skip') return { ...entry, outcome: 'skipped', reason: result.reason, productId: null };
  if (!result.ok) return { ...entry, outcome: 'failed', reason: result.reason, productId: result.productId };
  const { product, sectionHashes } = result;
  const { productId } = product;
  const skip = (reason: string): FileOutcome => ({ ...entry, outcome: 'skipped', reason, productId });
  if (seen.has(productId)) {
    return skip(`Product ${productId} occurs more than once in this package; its first file counts.`);
  }
  seen.add(productId);
  const contentHash = hashContent(sectionHashes);
  const last = latest.get(productId);
  if (last?.status === 'regulator_inserted' && last.contentHash === contentHash) {
    return skip(
      `Product ${productId} is unchanged since it was inserted${last.caseId === null ? '' : ` as case ${last.caseId}`}.`,
    );
  }
  return {
    ...entry,
    outcome: 'created',
    product,
    contentHash,
    sectionHashes,
    rawXml: bytes ?? Buffer.alloc(0),
  };
}

/** Identical content, identical hash: over the sections in the order of the steps. */
function hashContent(sectionHashes: Record<InsertStep, string>): string {
  const hash = createHash('sha256');
  for (const step of INSERT_STEPS) hash.update(sectionHashes[step]);
  return hash.digest('hex');
}
