/**
 * Judges every product file of a package: created, skipped or failed (design §5). In archive order, in
 * batches, each file once: a retry goes on after the last recorded one.
 */
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS } from '../src/archive/limits.ts';
import type { PackageFile, PackageReader } from '../src/archive/package-reader.ts';
import type { ImportDependencies } from './dependencies.ts';
import { inOrder } from './in-order.ts';
import { judge, type Known, type ReadFile } from './judge-product.ts';

/** What heartbeats say. */
export interface ExtractionProgress {
  phase: 'attachments and submitters' | 'products';
  done: number;
  total: number;
}

/** Outcomes recorded in one transaction: at most this many files and bytes of XML. */
const FLUSH_FILES = 100;
const FLUSH_BYTES = 8 * 1024 * 1024;
/** Files read ahead while others are parsed. */
const AHEAD = { items: 8, weight: 16 * 1024 * 1024 };

type Dependencies = Pick<ImportDependencies, 'database' | 'parser'>;
interface Import {
  id: number;
  clientId: string;
  comment?: string | null | undefined;
}

export async function extractProducts(
  { database, parser }: Dependencies,
  record: Import,
  reader: PackageReader,
  report: (progress: ExtractionProgress) => void,
): Promise<void> {
  const { extraction } = database;
  const files = reader.files.filter(({ kind }) => kind === 'product' || kind === 'tobacco-product');
  const recorded = await extraction.recorded(record.id);
  const pending = files.filter(({ path }) => !recorded.paths.has(path));
  const { cancellationSignal } = Context.current();
  let done = files.length - pending.length;
  let batch: ReadFile[] = [];
  let batchBytes = 0;

  const flush = async () => {
    const known = await lookUp(database, record, batch);
    const outcomes = batch.map((read) => judge(read, recorded.productIds, known));
    await extraction.record(record.id, record.comment ?? null, outcomes);
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

/** What the database knows about the products of a batch, in three questions. */
async function lookUp(
  { extraction, packageFiles }: Dependencies['database'],
  { id, clientId }: Import,
  batch: ReadFile[],
): Promise<Known> {
  const products = batch.flatMap(({ result }) => (result.ok === true ? result.product : []));
  const attachmentIds = new Set(
    products.flatMap(({ attachments }) => attachments.map(({ attachmentId }) => attachmentId)),
  );
  const submitterIds = new Set(products.flatMap(({ submitterId }) => submitterId ?? []));
  const [latest, attachments, submitters] = await Promise.all([
    extraction.latestSubmissions(
      id,
      products.map(({ productId }) => productId),
    ),
    packageFiles.latestAttachments(clientId, [...attachmentIds]),
    packageFiles.latestSubmitters(clientId, [...submitterIds]),
  ]);
  return { latest, attachments, submitters };
}

async function readProduct(
  file: PackageFile,
  reader: PackageReader,
  parser: Dependencies['parser'],
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
