/**
 * The data of an import for a streamed answer. Counts are read first and lists page by page, so that memory holds one
 * page with its warnings (decision §reports-are-streamed).
 */
import type { Reason } from '../../contract/types.ts';
import type { NotificationRow, PackageImportRow } from '../../database/entities/package-import.ts';
import type { FileCounts, FileList, ReportedFile } from '../../database/reports/files.ts';
import type { ReportedSubmission, SubmissionCounts } from '../../database/reports/submissions.ts';
import type { ImportMoment, ReportRepository } from '../../database/repositories/reports.ts';

export interface ImportSource {
  record: PackageImportRow;
  notification: NotificationRow | null;
  counts: SubmissionCounts;
  fileCounts: FileCounts;
  /** In archive order. May be called several times. */
  submissions(): AsyncIterable<ReportedSubmission>;
  withWarnings(): AsyncIterable<{ submission: ReportedSubmission; warnings: Reason[] }>;
  files(list: FileList): AsyncIterable<ReportedFile>;
}

type Reports = Pick<ReportRepository, 'onSnapshot' | 'submissions' | 'warnings' | 'files'>;

/**
 * A queued import, for answers that show only what never changes. Each page is read when it is written.
 *
 * @returns null if there is no such import
 */
export async function queuedImport(reports: Reports, importId: number): Promise<ImportSource | null> {
  const head = await reports.onSnapshot(importId, headOf);
  return head && sourceOf(reports, importId, head, () => reports.submissions(importId));
}

/**
 * The data of an import without its lists.
 *
 * @returns null if there is no such import
 */
export async function headOf(moment: ImportMoment): Promise<ImportHead | null> {
  const record = await moment.record();
  if (!record) return null;
  return {
    record,
    notification: await moment.notification(),
    counts: await moment.submissionCounts(),
    fileCounts: await moment.fileCounts(),
  };
}

export type ImportHead = Pick<ImportSource, 'record' | 'notification' | 'counts' | 'fileCounts'>;

/** @param pages of its submissions. Warnings and files never change and are read when they are written. */
export function sourceOf(
  reports: Pick<Reports, 'warnings' | 'files'>,
  importId: number,
  head: ImportHead,
  pages: () => AsyncIterable<ReportedSubmission[]>,
): ImportSource {
  return {
    ...head,
    submissions: () => each(pages()),
    async *withWarnings() {
      for await (const page of pages()) {
        const warnings = await reports.warnings(page.map(({ id }) => id));
        for (const submission of page) {
          const own = warnings.get(submission.id);
          if (own === undefined) throw new Error(`submission ${submission.id} was deleted during the report`);
          yield { submission, warnings: own };
        }
      }
    },
    files: (list) => each(reports.files(importId, list, head.fileCounts)),
  };
}

async function* each<T>(pages: AsyncIterable<T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}
