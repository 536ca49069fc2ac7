/**
 * Reads the reported data of an import, with one page in memory at a time. Changing data is read from one snapshot.
 * Notes are written once, and may be read later (decision §reports-are-streamed).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { type ImportCounts, importCounts } from '../../domain/package-import.ts';
import { OFFERS_INSERT } from '../conditions.ts';
import { Notification, PackageImport } from '../entities/package-import.ts';
import { type Orm, onSnapshot } from '../orm.ts';
import {
  countFiles,
  type FileCounts,
  type FileSelection,
  filePages,
  positionOfFailed,
} from '../reports/files.ts';
import {
  countSubmissions,
  type SubmissionPart,
  submissionPages,
  warningsOf,
} from '../reports/submissions.ts';
import { statements } from '../statements.ts';

export function createReportRepository(orm: Orm) {
  return {
    /** @param read must end soon (`onSnapshot` of orm.ts) */
    onSnapshot<T>(importId: number, read: (moment: ImportMoment) => Promise<T>): Promise<T> {
      return onSnapshot(orm, (em) => read(momentOf(em, importId)));
    },

    /** The counters of an import at one moment: its products may still be read and queued. */
    counts(importId: number): Promise<ImportCounts> {
      return onSnapshot(orm, async (em) =>
        importCounts(await countSubmissions(em, importId), await countFiles(em, importId)),
      );
    },

    /** Submissions in archive order, in pages. Each page is a separate statement. */
    submissions: (importId: number) => submissionPages(() => orm.em.fork(), importId, {}),

    /** Warnings of submissions, which never change. Deleted submissions are absent. */
    warnings: (ids: readonly number[]) => warningsOf(orm.em.fork(), ids),

    /** Files of a selection in archive order, in pages. Each page is a separate statement. */
    files: (importId: number, selection: FileSelection, { lastId }: Pick<FileCounts, 'lastId'>) =>
      filePages(() => orm.em.fork(), importId, selection, lastId),

    /** Position of a product file that could not be read, inserted or queued; null for none. */
    failedFile: (importId: number, xmlFile: string) => positionOfFailed(orm.em.fork(), importId, xmlFile),
  };
}

export type ReportRepository = ReturnType<typeof createReportRepository>;

/** A snapshot of an import. It holds a connection: its reader must not wait for others. */
export type ImportMoment = ReturnType<typeof momentOf>;

function momentOf(em: EntityManager, importId: number) {
  return {
    record: () => em.findOne(PackageImport, { id: importId }),
    notification: () => em.findOne(Notification, { packageImport: importId }),
    submissionCounts: () => countSubmissions(em, importId),
    /** Pages in archive order. */
    submissions: (where: SubmissionPart = {}) => submissionPages(() => em, importId, where),
    warnings: (ids: readonly number[]) => warningsOf(em, ids),
    fileCounts: () => countFiles(em, importId),
    files: (selection: FileSelection) => filePages(() => em, importId, selection),
  };
}

/**
 * A tag that changes with every change that a report of an import shows; null for an unknown import. One statement
 * computes it and returns only the tag. A row's `xmin` is the transaction that wrote its present version: every change
 * sets another one, also within one millisecond. The sum over hashes does not depend on row order. Counters of changes
 * would give the same, but would need maintenance.
 */
export async function importVersion(em: EntityManager, importId: number): Promise<string | null> {
  const row = await statements(em).row<{ version: string }>`
    select concat_ws('-', i.xmin, n.xmin, s.rows, s.sum, f.rows, f.sum, q.rows, q.sum) as version
      from zip_import i
      left join notification n on n.zip_import_id = i.id
     cross join lateral (
       select count(*) as rows, sum(hashtextextended(concat_ws(':', s.id, s.xmin, ${OFFERS_INSERT}), 0)) as sum
         from submission s where s.zip_import_id = i.id) s
     cross join lateral (
       select count(*) as rows, sum(hashtextextended(concat_ws(':', f.id, f.xmin), 0)) as sum
         from zip_import_file f where f.zip_import_id = i.id) f
     cross join lateral (
       select count(*) as rows, sum(hashtextextended(concat_ws(':', q.submission_id, q.xmin), 0)) as sum
         from queue_result q where q.zip_import_id = i.id) q
     where i.id = ${importId}
  `;
  return row?.version ?? null;
}
