/** Reads the submissions of an import for reports. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { QUEUE_STATUS, SUBMISSION_STATUSES, type SubmissionStatus } from '../../contract/statuses.ts';
import type { Reason } from '../../contract/types.ts';
import { type StatusCounts, zeroStatusCounts } from '../../domain/submission.ts';
import { ANY_OFFERS_INSERT, IS_WARNED, OFFERS_INSERT } from '../conditions.ts';
import type { QueueResultRow } from '../entities/queue-result.ts';
import type { SubmissionRow } from '../entities/submission.ts';
import { type Columns, statements } from '../statements.ts';
import { pagesOf, REPORT_PAGE } from './files.ts';

type ReportedField =
  | ('id' | 'uuid' | 'packageImport' | 'entryIndex' | 'entryPath' | 'xmlFile' | 'productId' | 'productType')
  | ('status' | 'failureReason' | 'jobId' | 'caseId' | 'createdAt' | 'updatedAt')
  | ('initValidate' | 'productDetails' | 'productPresentation' | 'design' | 'ingredients' | 'emission')
  | ('regulatorSubmissionDate' | 'regulatorModifiedDate' | 'regulatorSubmissionType');

/** A submission in reports. Notes and comment are read separately. */
export interface ReportedSubmission extends Columns<SubmissionRow, ReportedField> {
  /** Whether an insert can be requested. */
  offersInsert: boolean;
  /** Its warnings are read separately: most submissions have none. */
  hasWarnings: boolean;
  queueResult: Columns<QueueResultRow, 'status' | 'message' | 'jobId' | 'jobState' | 'createdAt'> | null;
}

export interface SubmissionCounts {
  progress: StatusCounts;
  /** Queued submissions. */
  queued: number;
  /** Submissions whose queuing was refused. */
  refused: number;
  /** One of them offers an insert. */
  offersInsert: boolean;
}

/** Filter of submissions by status and by warnings. */
export interface SubmissionPart {
  statuses?: readonly SubmissionStatus[];
  warned?: boolean;
}

export async function countSubmissions(em: EntityManager, importId: number): Promise<SubmissionCounts> {
  const rows = await statements(em).rows<{
    status: SubmissionStatus;
    all: number;
    tried: number;
    queued: number;
    offersInsert: boolean;
  }>`
    select c.*, ${ANY_OFFERS_INSERT} as offers_insert
      from (
        select s.zip_import_id as import_id, s.status, count(*)::int as all, count(q.status)::int as tried,
               (count(*) filter (where q.status = ${QUEUE_STATUS.queued}))::int as queued
          from submission s left join queue_result q on q.submission_id = s.id
         where s.zip_import_id = ${importId} group by s.zip_import_id, s.status) c
  `;
  const counts = { progress: zeroStatusCounts(), queued: 0, refused: 0, offersInsert: false };
  for (const { status, all, tried, queued, offersInsert } of rows) {
    counts.progress[status] = all;
    counts.queued += queued;
    counts.refused += tried - queued;
    counts.offersInsert ||= offersInsert;
  }
  return counts;
}

export function submissionPages(
  connection: () => EntityManager,
  importId: number,
  { statuses = SUBMISSION_STATUSES, warned }: SubmissionPart,
): AsyncGenerator<ReportedSubmission[]> {
  return pagesOf(async (after) => {
    const rows = await statements(connection()).rows<ReportedSubmission>`
      select s.id, s.uuid, s.zip_import_id as package_import, s.entry_index, s.entry_path, s.xml_file, s.product_id,
             s.product_type, s.status, s.failure_reason, s.job_id, s.case_id, s.created_at, s.updated_at, s.init_validate,
             s.product_details, s.product_presentation, s.design, s.ingredients, s.emission,
             s.regulator_submission_date, s.regulator_modified_date, s.regulator_submission_type,
             ${OFFERS_INSERT} as offers_insert, ${IS_WARNED} as has_warnings,
             case when q.submission_id is not null then jsonb_build_object(
               'status', q.status, 'message', q.message, 'jobId', q.job_id, 'jobState', q.job_state,
               'createdAt', q.created_at) end as queue_result
        from submission s left join queue_result q on q.submission_id = s.id
       where s.zip_import_id = ${importId} and (s.entry_index, s.id) > (${after.entryIndex}, ${after.id})
         and s.status = any(${statuses}::text[]) and ${warned === undefined ? sql`true` : sql`(${IS_WARNED}) = ${warned}`}
       order by s.entry_index, s.id limit ${REPORT_PAGE}
    `;
    return rows.map(({ queueResult, ...row }) => ({
      ...row,
      // In JSON, times are text.
      queueResult: queueResult && { ...queueResult, createdAt: new Date(queueResult.createdAt) },
    }));
  });
}

/** Warnings by submission. Deleted submissions are absent. */
export async function warningsOf(em: EntityManager, ids: readonly number[]): Promise<Map<number, Reason[]>> {
  if (ids.length === 0) return new Map();
  const rows = await statements(em).rows<{ id: number; warnings: Reason[] }>`
    select id, warnings from submission where id = any(${ids}::bigint[])
  `;
  return new Map(rows.map(({ id, warnings }) => [id, warnings]));
}
