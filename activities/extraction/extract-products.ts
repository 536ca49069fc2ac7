/**
 * Records what becomes of every product file of a package: created, skipped or failed (design §5). In archive
 * order, each file once: a retry goes on after the last recorded one.
 */
import type { PackageReader } from '../../src/archive/package-reader.ts';
import type { ImportDependencies } from '../dependencies.ts';
import type { Known } from './judge-product.ts';
import { judgeProducts, productFiles, type References } from './judge-products.ts';

/** What heartbeats say. */
export interface ExtractionProgress {
  phase: 'attachments and submitters' | 'products';
  done: number;
  total: number;
}

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
  const files = productFiles(reader);
  const recorded = await database.extraction.recorded(record.id);
  const pending = files.filter(({ path }) => !recorded.paths.has(path));
  let done = files.length - pending.length;
  const judging = {
    reader,
    parser,
    seen: recorded.productIds,
    lookUp: (references: References) => lookUp(database, record, references),
  };
  for await (const judgements of judgeProducts(pending, judging)) {
    const outcomes = judgements.map(({ outcome }) => outcome);
    await database.extraction.record(record.id, record.comment ?? null, outcomes);
    done += outcomes.length;
    report({ phase: 'products', done, total: files.length });
  }
}

/** What the database knows about what a batch refers to, in three questions. */
export async function lookUp(
  { extraction, referredFiles }: Pick<Dependencies['database'], 'extraction' | 'referredFiles'>,
  { id, clientId }: { id: number | null; clientId: string },
  { productIds, attachmentIds, submitterIds }: References,
): Promise<Known> {
  const [latest, attachments, submitters] = await Promise.all([
    extraction.latestSubmissions(productIds, { exceptImport: id }),
    referredFiles.latestAttachments(clientId, attachmentIds),
    referredFiles.latestSubmitters(clientId, submitterIds),
  ]);
  return { latest, attachments, submitters };
}
