/** Reads the submissions of an import for reports. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import {
  type JobState,
  QUEUE_STATUS,
  type QueueStatus,
  type SubmissionStatus,
} from '../../contract/statuses.ts';
import type { Reason } from '../../contract/types.ts';
import { type StatusCounts, zeroStatusCounts } from '../../domain/submission.ts';
import { IS_SHOWN_AS_SUPERSEDED, IS_WARNED } from '../conditions.ts';
import type { Tables } from '../entities/index.ts';
import type { SubmissionRow } from '../entities/submission.ts';
import { type Place, pagesOf, REPORT_PAGE } from './files.ts';

/** Fields of a submission in reports, each with its column. Notes and comment are read separately. */
const COLUMNS = {
  id: 's.id',
  uuid: 's.uuid',
  packageImport: 's.zip_import_id',
  entryIndex: 's.entry_index',
  entryPath: 's.entry_path',
  xmlFile: 's.xml_file',
  productId: 's.product_id',
  productType: 's.product_type',
  status: 's.status',
  failureReason: 's.failure_reason',
  initValidate: 's.init_validate',
  productDetails: 's.product_details',
  productPresentation: 's.product_presentation',
  design: 's.design',
  ingredients: 's.ingredients',
  emission: 's.emission',
  jobId: 's.job_id',
  caseId: 's.case_id',
  regulatorSubmissionDate: 's.regulator_submission_date',
  regulatorModifiedDate: 's.regulator_modified_date',
  regulatorSubmissionType: 's.regulator_submission_type',
  createdAt: 's.created_at',
  updatedAt: 's.updated_at',
} as const;

type ReportedFields = { [Field in keyof typeof COLUMNS]: Exclude<SubmissionRow[Field], undefined> };

export interface ReportedSubmission extends ReportedFields {
  /** Whether it offers no action because a newer submission of its product has been queued. */
  superseded: boolean;
  /** Its warnings are read separately: most submissions have none. */
  hasWarnings: boolean;
  queueResult: ReportedQueueResult | null;
}

interface ReportedQueueResult {
  status: QueueStatus;
  message: string;
  jobId: string | null;
  jobState: JobState | null;
  createdAt: Date;
}

export interface SubmissionCounts {
  progress: StatusCounts;
  /** Queued submissions. */
  queued: number;
  /** Submissions whose queuing was refused. */
  refused: number;
}

/** Filter of submissions by status and by warnings. */
export interface SubmissionPart {
  statuses?: readonly SubmissionStatus[];
  warned?: boolean;
}

export async function countSubmissions(em: EntityManager, importId: number): Promise<SubmissionCounts> {
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

export function submissionPages(
  connection: () => EntityManager,
  importId: number,
  part: SubmissionPart,
): AsyncGenerator<ReportedSubmission[]> {
  return pagesOf((after) => submissionsAfter(connection(), importId, part, after));
}

async function submissionsAfter(
  em: EntityManager,
  importId: number,
  { statuses, warned }: SubmissionPart,
  after: Place,
): Promise<ReportedSubmission[]> {
  const selected = Object.entries(COLUMNS) as [
    keyof ReportedFields,
    (typeof COLUMNS)[keyof ReportedFields],
  ][];
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('submission as s')
    .leftJoin('queue_result as q', 'q.submission_id', 's.id')
    .select((from) => selected.map(([name, column]) => from.ref(column).as(name)))
    .select([
      'q.status as queueStatus',
      'q.message as queueMessage',
      'q.job_id as queueJobId',
      'q.job_state as queueJobState',
      'q.created_at as queuedAt',
    ])
    .select([IS_SHOWN_AS_SUPERSEDED.as('superseded'), IS_WARNED.as('hasWarnings')])
    .where('s.zip_import_id', '=', importId)
    .where(sql<boolean>`(s.entry_index, s.id) > (${after.entryIndex}, ${after.id})`)
    .$if(statuses !== undefined, (rows) => rows.where('s.status', 'in', statuses ?? []))
    .$if(warned !== undefined, (rows) => rows.where(sql<boolean>`(${IS_WARNED}) = ${warned}`))
    .orderBy('s.entry_index')
    .orderBy('s.id')
    .limit(REPORT_PAGE)
    .execute();
  return rows.map(({ queueStatus, queueMessage, queueJobId, queueJobState, queuedAt, ...columns }) => {
    // COLUMNS defines the fields; the driver returns timestamps as text.
    const fields = columns as unknown as ReportedFields &
      Pick<ReportedSubmission, 'superseded' | 'hasWarnings'>;
    return {
      ...fields,
      createdAt: new Date(fields.createdAt),
      updatedAt: new Date(fields.updatedAt),
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
    };
  });
}

/** Warnings by submission. Deleted submissions are absent. */
export async function warningsOf(em: EntityManager, ids: readonly number[]): Promise<Map<number, Reason[]>> {
  if (ids.length === 0) return new Map();
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('submission')
    .select(['id', 'warnings'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, warnings }) => [id, warnings]));
}
