/**
 * What is told of an import, in pages and without more of it in memory than a page. What changes is read as it was at one
 * moment; notes are written once, and may be read later (decision §reports-are-streamed).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { Notification, type NotificationRow } from '../entities/notification.ts';
import { PackageImport, type PackageImportRow } from '../entities/package-import.ts';
import { atOneMoment } from '../one-moment.ts';
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

/** An import as it is at one moment. To be read without waiting for anybody: it holds a connection. */
export interface ImportMoment {
  record(): Promise<PackageImportRow | null>;
  notification(): Promise<NotificationRow | null>;
  submissionCounts(): Promise<SubmissionCounts>;
  /** In archive order, in pages. */
  submissions(where?: SubmissionPart): AsyncGenerator<ReportedSubmission[]>;
  warnings(ids: readonly number[]): Promise<Map<number, string[]>>;
  fileCounts(): Promise<FileCounts>;
  files(list: FileList): AsyncGenerator<ReportedFile[]>;
}

export function createReportRepository(orm: Orm) {
  return {
    /** @param read must be over soon (one-moment.ts) */
    atOneMoment<T>(view: ImportView, read: (moment: ImportMoment) => Promise<T>): Promise<T> {
      return atOneMoment(orm, (em) => read(momentOf(em, view)));
    },

    /** The submissions, in archive order, in pages; each page a statement of its own. */
    submissions(view: ImportView) {
      return submissionPages(() => orm.em.fork(), view, {});
    },

    /** The warnings of submissions, which never change. Those that are gone are absent. */
    async warnings(ids: readonly number[]): Promise<Map<number, string[]>> {
      return warningsOf(orm.em.fork(), ids);
    },

    /** The files of a list, in archive order, in pages; each page a statement of its own. */
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
