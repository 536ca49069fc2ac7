/** Fake imports with the data of a test. */
import type { PackageImportRow } from '../../../src/database/entities/package-import.ts';
import type { ImportMoment, ReportRepository } from '../../../src/database/repositories/reports.ts';
import { zeroStatusCounts } from '../../../src/domain/submission.ts';

export function fakeReports(
  record: (id: number) => Promise<unknown>,
  moment: Partial<ImportMoment> = {},
): ReportRepository {
  async function* nothing() {}
  return {
    onSnapshot: ({ importId }, read) =>
      read({
        record: () => record(importId) as Promise<PackageImportRow>,
        notification: async () => null,
        submissionCounts: async () => ({ progress: zeroStatusCounts(), queued: 0, refused: 0 }),
        submissions: nothing,
        warnings: async () => new Map(),
        fileCounts: async () => ({ failed: 0, skipped: 0, unreadable: 0, lastId: 0 }),
        files: nothing,
        ...moment,
      }),
    submissions: nothing,
    warnings: async () => new Map(),
    files: nothing,
  };
}
