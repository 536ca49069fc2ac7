/** From the stored ZIP to submissions: the activity behind an upload (design §4.3). */

import { openPackage } from '../../src/archive/package-reader.ts';
import { ArchiveRemoved, NotFound } from '../../src/domain/errors.ts';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import type { ImportDependencies } from '../dependencies.ts';
import { heartbeating } from '../heartbeating.ts';
import { extractPackageFiles } from './extract-package-files.ts';
import { extractProducts } from './extract-products.ts';

export interface ExtractionResult {
  created: number;
  skipped: number;
  failed: number;
  /** Into how many batches the created submissions are divided for queuing; at least 1. */
  batches: number;
}

export function createExtractPackage(dependencies: ImportDependencies) {
  const { database, storage } = dependencies;
  return async function extractPackage({ importId }: { importId: number }): Promise<ExtractionResult> {
    const record = await database.imports.find(importId);
    if (!record) throw new NotFound('Package import', importId);
    if (record.archiveRemovedAt) throw new ArchiveRemoved(importId, record.archiveRemovedAt);
    await database.imports.reopen(importId);
    // The directory of a large archive takes seconds, too.
    await heartbeating(async (report) => {
      const reader = await openPackage(await storage.open(record.storageKey));
      try {
        await extractPackageFiles(dependencies, record, reader, report);
        await extractProducts(dependencies, record, reader, report);
      } finally {
        await reader.close();
      }
    });
    const counts = await database.extraction.counts(importId);
    return { ...counts, batches: Math.max(1, Math.ceil(counts.created / BATCH_SIZE)) };
  };
}
