/**
 * Reads the reported data of an import, with one page in memory at a time. Changing data is read from one snapshot.
 * Notes are written once, and may be read later (decision §reports-are-streamed).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Reason } from '../../contract/types.ts';
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
  warnings(ids: readonly number[]): Promise<Map<number, Reason[]>>;
  fileCounts(): Promise<FileCounts>;
  files(list: FileList): AsyncGenerator<ReportedFile[]>;
}

export function createReportRepository(orm: Orm) {
  return {
    /** @param read must end soon (snapshot.ts) */
    onSnapshot<T>(importId: number, read: (moment: ImportMoment) => Promise<T>): Promise<T> {
      return onSnapshot(orm, (em) => read(momentOf(em, importId)));
    },

    /** Submissions in archive order, in pages. Each page is a separate statement. */
    submissions(importId: number) {
      return submissionPages(() => orm.em.fork(), importId, {});
    },

    /** Warnings of submissions, which never change. Deleted submissions are absent. */
    async warnings(ids: readonly number[]): Promise<Map<number, Reason[]>> {
      return warningsOf(orm.em.fork(), ids);
    },

    /** Files of a list in archive order, in pages. Each page is a separate statement. */
    files(importId: number, list: FileList, { lastId }: Pick<FileCounts, 'lastId'>) {
      return filePages(() => orm.em.fork(), importId, list, lastId);
    },
  };
}

export type ReportRepository = ReturnType<typeof createReportRepository>;

function momentOf(em: EntityManager, importId: number): ImportMoment {
  return {
    record: () => em.findOne(PackageImport, { id: importId }),
    notification: () => em.findOne(Notification, { packageImport: importId }),
    submissionCounts: () => countSubmissions(em, importId),
    submissions: (where = {}) => submissionPages(() => em, importId, where),
    warnings: (ids) => warningsOf(em, ids),
    fileCounts: () => countFiles(em, importId),
    files: (list) => filePages(() => em, importId, list, null),
  };
}
