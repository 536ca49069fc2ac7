/**
 * What is told of an import, in pages and without more of it in memory than a page. What changes is read as it was at one
 * moment; notes are written once, and may be read later (architecture §reports-are-streamed).
 */
import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type JobState, QUEUE_STATUS, type QueueStatus } from '../../domain/queue.ts';
import { type StatusCounts, type SubmissionStatus, zeroStatusCounts } from '../../domain/submission.ts';
import type { Submitters } from '../../domain/submitters.ts';
import { Notification, type NotificationRow } from '../entities/notification.ts';
import { PackageImport, type PackageImportRow } from '../entities/package-import.ts';
import type { Orm } from '../orm.ts';
import { newestQueued } from '../superseded.ts';
import type { Tables } from '../tables.ts';

/** Submissions and files of a page. Of notes a page has 3 MB at the most (architecture §notes-are-bounded). */
export const REPORT_PAGE = 200;

/** A submission without its notes and its comment, which is that of its import. */
export interface ReportedSubmission {
  id: number;
  uuid: string;
  packageImport: number;
  entryIndex: number;
  entryPath: string;
  xmlFile: string;
  productId: string;
  productType: string;
  status: SubmissionStatus;
  failureReason: string | null;
  initValidate: boolean;
  productDetails: boolean;
  productPresentation: boolean;
  design: boolean;
  ingredients: boolean;
  emission: boolean;
  jobId: string | null;
  caseId: string | null;
  regulatorSubmissionDate: string | null;
  regulatorModifiedDate: string | null;
  regulatorSubmissionType: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** Whether a newer one of its product has been queued. */
  superseded: boolean;
  queueResult: ReportedQueueResult | null;
}

export interface ReportedQueueResult {
  status: QueueStatus;
  message: string;
  jobId: string | null;
  jobState: JobState | null;
  createdAt: Date;
}

export interface SubmissionCounts {
  progress: StatusCounts;
  /** Those that were queued. */
  queued: number;
  /** Those that were not, though it was tried. */
  refused: number;
}

/** A file that did not become a record of its own. */
export interface ReportedFile {
  id: number;
  entryIndex: number;
  entryPath: string;
  xmlFile: string;
  kind: 'product' | 'attachment' | 'submitter';
  reason: string;
  productId: string | null;
}

/** One of the lists of files that a report has. */
export type FileList = 'failed' | 'skipped' | 'unreadable';

export interface FileCounts extends Record<FileList, number> {
  /** Files with a larger id have come later. */
  lastId: number;
}

/** An import, and whose products of it are told of; null for all. */
export interface ImportView {
  importId: number;
  submitters: Submitters;
}

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

/** Of the submissions those of some statuses, with or without warnings. */
export interface SubmissionPart {
  statuses?: readonly SubmissionStatus[];
  warned?: boolean;
}

export function createReportRepository(orm: Orm) {
  return {
    /** @param read must be over soon, as it keeps a connection to itself, and old versions of rows from being removed */
    async atOneMoment<T>(view: ImportView, read: (moment: ImportMoment) => Promise<T>): Promise<T> {
      return orm.em.fork().transactional((em) => read(momentOf(em, view)), {
        isolationLevel: IsolationLevel.REPEATABLE_READ,
        readOnly: true,
      });
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

async function countSubmissions(
  em: EntityManager,
  { importId, submitters }: ImportView,
): Promise<SubmissionCounts> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('submission as s')
    .leftJoin('queue_result as q', 'q.submission_id', 's.id')
    .select(['s.status'])
    .select([
      sql<number>`count(*)::int`.as('all'),
      sql<number>`count(q.status)::int`.as('tried'),
      sql<number>`(count(*) filter (where q.status = ${QUEUE_STATUS.queued}))::int`.as('queued'),
    ])
    .where('s.zip_import_id', '=', importId)
    .$if(submitters !== null, (rows) => rows.where(ofSubmitters('s.product_id', submitters)))
    .groupBy('s.status')
    .execute();
  const counts: SubmissionCounts = { progress: zeroStatusCounts(), queued: 0, refused: 0 };
  for (const { status, all, tried, queued } of rows) {
    counts.progress[status] = all;
    counts.queued += queued;
    counts.refused += tried - queued;
  }
  return counts;
}

async function* submissionPages(
  connection: () => EntityManager,
  view: ImportView,
  part: SubmissionPart,
): AsyncGenerator<ReportedSubmission[]> {
  let after = { entryIndex: -1, id: 0 };
  for (;;) {
    const em = connection();
    const rows = await submissionsAfter(em, view, part, after);
    const superseded = await newestQueued(em, rows.filter(mayBeSuperseded));
    if (rows.length > 0) yield rows.map((row) => ({ ...row, superseded: superseded.has(row.id) }));
    const last = rows.at(-1);
    if (!last || rows.length < REPORT_PAGE) return;
    after = last;
  }
}

/** Of the others nobody asks: they offer no action anyway. */
function mayBeSuperseded({ status }: { status: SubmissionStatus }): boolean {
  return status === 'local' || status === 'regulator_insert_failed';
}

async function submissionsAfter(
  em: EntityManager,
  { importId, submitters }: ImportView,
  { statuses, warned }: SubmissionPart,
  after: { entryIndex: number; id: number },
): Promise<Omit<ReportedSubmission, 'superseded'>[]> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('submission as s')
    .leftJoin('queue_result as q', 'q.submission_id', 's.id')
    .select([
      ...(['s.id', 's.uuid', 's.status', 's.design', 's.ingredients', 's.emission'] as const),
      's.zip_import_id as packageImport',
      's.entry_index as entryIndex',
      's.entry_path as entryPath',
      's.xml_file as xmlFile',
      's.product_id as productId',
      's.product_type as productType',
      's.failure_reason as failureReason',
      's.init_validate as initValidate',
      's.product_details as productDetails',
      's.product_presentation as productPresentation',
      's.job_id as jobId',
      's.case_id as caseId',
      's.regulator_submission_date as regulatorSubmissionDate',
      's.regulator_modified_date as regulatorModifiedDate',
      's.regulator_submission_type as regulatorSubmissionType',
      's.created_at as createdAt',
      's.updated_at as updatedAt',
      'q.status as queueStatus',
      'q.message as queueMessage',
      'q.job_id as queueJobId',
      'q.job_state as queueJobState',
      'q.created_at as queuedAt',
    ])
    .where('s.zip_import_id', '=', importId)
    .where(sql<boolean>`(s.entry_index, s.id) > (${after.entryIndex}, ${after.id})`)
    .$if(submitters !== null, (rows) => rows.where(ofSubmitters('s.product_id', submitters)))
    .$if(statuses !== undefined, (rows) => rows.where('s.status', 'in', statuses ?? []))
    .$if(warned !== undefined, (rows) => rows.where(sql<boolean>`(s.warnings <> '[]'::jsonb) = ${warned}`))
    .orderBy('s.entry_index')
    .orderBy('s.id')
    .limit(REPORT_PAGE)
    .execute();
  return rows.map(({ queueStatus, queueMessage, queueJobId, queueJobState, queuedAt, ...row }) => ({
    ...row,
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
    queueResult:
      queueStatus === null || queueMessage === null || queuedAt === null
        ? null
        : {
            status: queueStatus,
            message: queueMessage,
            jobId: queueJobId,
            jobState: queueJobState,
            createdAt: new Date(queuedAt),
          },
  }));
}

async function warningsOf(em: EntityManager, ids: readonly number[]): Promise<Map<number, string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('submission')
    .select(['id', 'warnings'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, warnings }) => [id, warnings]));
}

async function countFiles(em: EntityManager, view: ImportView): Promise<FileCounts> {
  const count = (list: FileList) =>
    sql<number>`count(*) filter (where ${CONDITIONS[list]})::int`.as<FileList>(list);
  return visibleFiles(em, view)
    .select([count('failed'), count('skipped'), count('unreadable')])
    .select(sql<number>`coalesce(max(f.id), 0)`.as('lastId'))
    .executeTakeFirstOrThrow();
}

async function* filePages(
  connection: () => EntityManager,
  view: ImportView,
  list: FileList,
  lastId: number | null,
): AsyncGenerator<ReportedFile[]> {
  let after = { entryIndex: -1, id: 0 };
  for (;;) {
    const rows = await visibleFiles(connection(), view)
      .select(['f.id', 'f.kind', 'f.reason'])
      .select(['f.entry_index as entryIndex', 'f.entry_path as entryPath', 'f.xml_file as xmlFile'])
      .select('f.product_id as productId')
      .where(CONDITIONS[list])
      .where(sql<boolean>`(f.entry_index, f.id) > (${after.entryIndex}, ${after.id})`)
      .$if(lastId !== null, (rows) => rows.where('f.id', '<=', lastId ?? 0))
      .orderBy('f.entry_index')
      .orderBy('f.id')
      .limit(REPORT_PAGE)
      .execute();
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < REPORT_PAGE) return;
    after = last;
  }
}

const CONDITIONS = {
  failed: sql<boolean>`f.kind = 'product' and f.outcome = 'failed'`,
  skipped: sql<boolean>`f.kind = 'product' and f.outcome = 'skipped'`,
  unreadable: sql<boolean>`f.kind <> 'product'`,
} as const satisfies Record<FileList, unknown>;

/**
 * Skipped files of other submitters are left out, as their reasons name cases; a file that was refused tells of itself
 * only (architecture §products-belong-to-submitters).
 */
function visibleFiles(em: EntityManager, { importId, submitters }: ImportView) {
  return em
    .getKysely<Tables>()
    .selectFrom('zip_import_file as f')
    .where('f.zip_import_id', '=', importId)
    .$if(submitters !== null, (rows) =>
      rows.where(
        sql<boolean>`(f.outcome = 'failed' or f.product_id is null or ${ofSubmitters('f.product_id', submitters)})`,
      ),
    );
}

/** @param column of a product ID, whose first five digits name the submitter (package format §2) */
function ofSubmitters(column: string, submitters: Submitters) {
  const listed = JSON.stringify(submitters);
  return sql<boolean>`left(${sql.ref(column)}, 5) in (select jsonb_array_elements_text(${listed}::jsonb))`;
}
