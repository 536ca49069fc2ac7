/**
 * The activity of an upload: turns the stored ZIP into submissions (architecture §one-upload). It first stores
 * attachments and submitters. Then it reads and judges the product files in batches and records the outcome of each.
 */
import type { PackageImportRow } from '../../src/database/entities/package-import.ts';
import { ArchiveRemoved, NotFound } from '../../src/domain/client-errors.ts';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import type { ReadingDependencies } from '../dependencies.ts';
import { findKnown } from './known-records.ts';
import { createNoteBudget } from './note-budget.ts';
import { productFiles, readProducts } from './product-files.ts';
import { referredFiles } from './referred-files.ts';
import { storeReferredFiles } from './store-referred-files.ts';
import { type Judgement, judge, withoutOthersProducts } from './verdict.ts';
import { beginTimeSlice, type ImportReading, withPackage } from './with-package.ts';

/** Attempts that may be lost with their process, while they read alone and recorded nothing, before the import fails. */
const MAX_LOST_ALONE = 10;

export function createReadPackage(dependencies: ReadingDependencies) {
  const { database, parser, refusedChecks, readingSliceMs, files } = dependencies;
  /** Returns the number of created submissions, and that of their batches for queuing, at least 1. */
  return async function readPackage({ importId }: { importId: number }) {
    // First: retention leaves a reopened import alone, so that the record read below stays true.
    await database.imports.reopen(importId);
    const record = await database.imports.find(importId);
    if (!record) throw new NotFound('Package import', importId);
    // A resumed import continues with what is recorded: its package may be gone.
    if (!record.readAt) await read(record);
    const { created } = await database.reports.counts(importId);
    return { created, batches: Math.max(1, Math.ceil(created / BATCH_SIZE)) };
  };

  async function read(record: PackageImportRow): Promise<void> {
    const { id, storageKey, archiveRemovedAt } = record;
    if (archiveRemovedAt) throw new ArchiveRemoved(id, archiveRemovedAt);
    const options = { storageKey, maxLostAlone: MAX_LOST_ALONE };
    await withPackage(dependencies, options, async (reader, { showProgress, madeProgress }) => {
      const pieceRecorded = beginTimeSlice(readingSliceMs, madeProgress);
      await storeReferredFiles(dependencies, record, { reader, showProgress, pieceRecorded });
      await recordProducts(record, { reader, showProgress, pieceRecorded });
      // Once, when every file has its record. An attempt that was lost after this counts them again.
      await files.take(record.clientId, referredFiles(reader).length + productFiles(reader).length);
    });
    await database.imports.markRead(id);
  }

  /**
   * Records the outcome of every product file: created, skipped or failed (decision §one-outcome-per-file). Files
   * are recorded once, in archive order. A retry continues after the last recorded file.
   */
  async function recordProducts(
    { id, tenant, comment = null, submitters = null }: PackageImportRow,
    { reader, showProgress, pieceRecorded }: ImportReading,
  ): Promise<void> {
    const products = productFiles(reader);
    const recorded = await database.reading.recorded(id);
    const pending = products.filter(({ path }) => !recorded.paths.has(path));
    const withinBudget = createNoteBudget(recorded.noteBytes);
    let done = products.length - pending.length;
    for await (const read of readProducts(pending, reader, parser)) {
      const batch = withoutOthersProducts(read, submitters);
      const known = await findKnown(database, { tenant, importId: id }, batch);
      const outcomes = batch.map(
        (file) =>
          withinBudget(onlyRecorded(judge(file, recorded.productIds, known, { refused: refusedChecks })))
            .outcome,
      );
      await database.reading.record(id, comment, outcomes);
      done += outcomes.length;
      showProgress({ phase: 'products', done, total: products.length });
      if (done < products.length) pieceRecorded();
    }
  }
}

/** Drops the warnings of a product that becomes no submission. */
function onlyRecorded(judgement: Judgement): Judgement {
  return judgement.outcome.outcome === 'created' ? judgement : { ...judgement, product: null };
}
