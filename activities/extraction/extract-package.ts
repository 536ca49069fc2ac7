/**
 * The activity of an upload: turns the stored ZIP into submissions (architecture §one-upload). It first stores
 * attachments and submitters. Then it reads and judges the product files in batches and records the outcome of each.
 */
import { ArchiveRemoved, NotFound } from '../../src/domain/errors.ts';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import type { Submitters } from '../../src/domain/submitters.ts';
import type { ReadingDependencies } from '../dependencies.ts';
import { lookUp } from './known.ts';
import { createNoteBudget } from './note-budget.ts';
import { withoutOthersProducts } from './other-submitters.ts';
import { productFiles, readProducts } from './product-files.ts';
import { beginReadingTurn, type ImportReading } from './reading-turn.ts';
import { storeReferredFiles } from './store-referred-files.ts';
import { type Judgement, judge } from './verdict.ts';
import { withPackage } from './with-package.ts';

/** Tries that may be lost with their process before the import fails. */
const DEATHS_ALLOWED = 10;

export interface ExtractionResult {
  created: number;
  skipped: number;
  failed: number;
  /** Batches of created submissions for queuing; at least 1. */
  batches: number;
}

interface Import {
  id: number;
  clientId: string;
  comment?: string | null | undefined;
  submitters?: Submitters | undefined;
}

export function createExtractPackage(
  dependencies: Pick<
    ReadingDependencies,
    'database' | 'storage' | 'readingBudgets' | 'readingTurnMs' | 'parser'
  >,
) {
  const { database, parser, readingTurnMs } = dependencies;
  return async function extractPackage({ importId }: { importId: number }): Promise<ExtractionResult> {
    // First: retention leaves a reopened import alone, so that the record read below stays true.
    await database.imports.reopen(importId);
    const record = await database.imports.find(importId);
    if (!record) throw new NotFound('Package import', importId);
    if (record.archiveRemovedAt) throw new ArchiveRemoved(importId, record.archiveRemovedAt);
    const read = { storageKey: record.storageKey, deathsAllowed: DEATHS_ALLOWED };
    await withPackage(dependencies, read, async (reader, showProgress) => {
      const turn = beginReadingTurn(readingTurnMs);
      await storeReferredFiles(dependencies, record, { reader, showProgress, turn });
      await recordProducts(record, { reader, showProgress, turn });
    });
    const counts = await database.extraction.counts(importId);
    return { ...counts, batches: Math.max(1, Math.ceil(counts.created / BATCH_SIZE)) };
  };

  /**
   * Records the outcome of every product file: created, skipped or failed (decision §one-outcome-per-file). Files
   * are recorded once, in archive order. A retry continues after the last recorded file.
   */
  async function recordProducts(
    { id, clientId, comment = null, submitters = null }: Import,
    { reader, showProgress, turn }: ImportReading,
  ): Promise<void> {
    const files = productFiles(reader);
    const recorded = await database.extraction.recorded(id);
    const pending = files.filter(({ path }) => !recorded.paths.has(path));
    const withinBudget = createNoteBudget(recorded.noteBytes);
    let done = files.length - pending.length;
    for await (const read of readProducts(pending, reader, parser)) {
      const batch = withoutOthersProducts(read, submitters);
      const known = await lookUp(database, { clientId, exceptImport: id }, batch);
      const outcomes = batch.map(
        (file) => withinBudget(onlyRecorded(judge(file, recorded.productIds, known))).outcome,
      );
      await database.extraction.record(id, comment, outcomes);
      done += outcomes.length;
      showProgress({ phase: 'products', done, total: files.length });
      if (done < files.length) turn.kept();
    }
  }
}

/** Drops the warnings of a product that becomes no submission. */
function onlyRecorded(judgement: Judgement): Judgement {
  return judgement.outcome.outcome === 'created' ? judgement : { ...judgement, product: null };
}
