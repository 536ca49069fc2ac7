/**
 * Reads the reported data of an import, with one page in memory at a time. Changing data is read from one snapshot.
 * Notes are written once, and may be read later (decision §reports-are-streamed).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { Notification, type NotificationRow } from '../entities/notification.ts';
import { PackageImport, type PackageImportRow } from '../entities/package-import.ts';
import type { Orm } from '../orm.ts';
import {
  countFiles,
  type FileCounts,
  type FileList,
  filePages,
  type ReportedFile,
} from '../reports/files.ts';
import type { ImportView } from '../reports/pages.ts';
import {
  countSubmissions,
  type ReportedSubmission,
  type SubmissionCounts,
  type SubmissionPart,
  submissionPages,
  warningsOf,
} from '../reports/submissions.ts';
import { onSnapshot } from '../snapshot.ts';

/** A snapshot of an import. It holds a connection: its reader must not wait for others. */
export interface ImportMoment {
  record(): Promise<PackageImportRow | null>;
  notification(): Promise<NotificationRow | null>;
  submissionCounts(): Promise<SubmissionCounts>;
  /** Pages in archive order. */
  submissions(where?: SubmissionPart): AsyncGenerator<ReportedSubmission[]>;
  warnings(ids: readonly number[]): Promise<Map<number, string[]>>;
  fileCounts(): Promise<FileCounts>;
  files(list: FileList): AsyncGenerator<ReportedFile[]>;
}

export function createReportRepository(orm: Orm) {
  return {
    /** @param read must end soon (snapshot.ts) */
    onSnapshot<T>(view: ImportView, read: (moment: ImportMoment) => Promise<T>): Promise<T> {
      return onSnapshot(orm, (em) => read(momentOf(em, view)));
    },

    /** Submissions in archive order, in pages. Each page is a separate statement. */
    submissions(view: ImportView) {
      return submissionPages(() => orm.em.fork(), view, {});
    },

    /** Warnings of submissions, which never change. Deleted submissions are absent. */
    async warnings(ids: readonly number[]): Promise<Map<number, string[]>> {
      return warningsOf(orm.em.fork(), ids);
    },

    /** Files of a list in archive order, in pages. Each page is a separate statement. */
    files(view: ImportView, list: FileList, { lastId }: Pick<FileCounts, 'lastId'>) {
      return filePages(() => orm.em.fork(), view, list, lastId);
    },
  };
}

export type ReportRepository = ReturnType<typeof createReportRepository>;

function momentOf(em: EntityManager, view: ImportView): ImportMoment {
  const { importId } = view;
  return {
    record: () => em.findOne(PackageImport, { id: importId }),
    notification: () => em.findOne(Notification, { packageImport: importId }),
    submissionCounts: () => countSubmissions(em, view),
    submissions: (where = {}) => submissionPages(() => em, view, where),
    warnings: (ids) => warningsOf(em, ids),
    fileCounts: () => countFiles(em, view),
    files: (list) => filePages(() => em, view, list, null),
  };
}
