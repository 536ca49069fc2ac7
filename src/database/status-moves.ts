/**
 * Moves a submission from one status to the next: lock, compare-and-set and audit entry, in few statements, because
 * every insert begins with it (decision §statuses-move-one-way).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SubmissionStatus } from '../contract/statuses.ts';
import { INSERT_STEPS } from '../contract/steps.ts';
import { NotFound } from '../domain/errors.ts';
import type { StepFlags } from '../domain/steps.ts';
import { statusesBefore } from '../domain/submission.ts';
import { query } from './query.ts';
import { NEWEST_QUEUED } from './superseded.ts';

/** A locked submission, with the data that decides its next status. */
export interface Locked {
  id: number;
  status: SubmissionStatus;
  jobId: string | null;
  failureReason: string | null;
  caseId: string | null;
  flags: StepFlags;
  /** The newest submission of the product that supersedes it. */
  newer: number | null;
  /** The last inserted submission of the product, if its content is identical. */
  twin: number | null;
  twinCaseId: string | null;
}

/** Additional changes and results of a move, in SQL. */
export interface Beside {
  set?: string;
  returned?: string;
}

const NOTHING = 'null::jsonb';

/** The submission after a move, with the additional results. */
export interface Moved extends Locked {
  returned?: unknown;
}

const FLAGS = `jsonb_build_object(${INSERT_STEPS.map((step) => `'${step}', s.${step}`).join(', ')}) as flags`;

const LOCK = `select s.id, s.status, s.job_id as "jobId", s.failure_reason as "failureReason", s.case_id as "caseId", ${FLAGS},
    (${NEWEST_QUEUED}) as newer, twin.id as twin, twin.case_id as "twinCaseId"
  from submission s
  left join lateral (
    select t.id, t.case_id, t.content_hash from submission t
     where t.product_id = s.product_id and t.id <> s.id and t.status = 'regulator_inserted'
     order by t.id desc limit 1) twin on twin.content_hash = s.content_hash
 where s.id = $1 for no key update of s`;

/**
 * Addition to a move: sets the flag of each step whose section the product does not have. The first step always runs,
 * because it opens the case.
 */
export const PASS_ABSENT_SECTIONS = INSERT_STEPS.slice(1)
  .map((step) => `, ${step} = s.${step} or s.sections -> '${step}' = 'null'::jsonb`)
  .join('');
/** Addition to a move: sets the flag of every step. */
export const ALL_STEPS = INSERT_STEPS.map((step) => `, ${step} = true`).join('');

/** Locks the submission until the transaction ends; undefined for an unknown one. */
export async function lockIfThere(em: EntityManager, submissionId: number): Promise<Locked | undefined> {
  const [row] = await query<Locked>(em, LOCK, [submissionId]);
  return row;
}

/** @throws NotFound for an unknown submission */
export async function lock(em: EntityManager, submissionId: number): Promise<Locked> {
  const submission = await lockIfThere(em, submissionId);
  if (!submission) throw new NotFound('Submission', submissionId);
  return submission;
}

/** Makes `runId` the owner of the submission. Returns the changed submission. */
export async function takeOver(
  em: EntityManager,
  submission: Locked,
  runId: string,
  actor: string,
  { set = '', returned = NOTHING }: Beside = {},
): Promise<Moved> {
  const taken = { ...submission, jobId: runId, failureReason: null, status: 'regulator_inserting' } as const;
  if (submission.status !== 'regulator_inserting')
    return (
      (await moveTo(em, submission, 'regulator_inserting', { actor, jobId: runId, set, returned })) ?? taken
    );
  const statement = `update submission s set job_id = $2, failure_reason = null${set} where s.id = $1
    returning ${FLAGS}, ${returned} as returned`;
  const [row] = await query<Pick<Moved, 'flags' | 'returned'>>(em, statement, [submission.id, runId]);
  return { ...taken, ...row };
}

interface Move extends Beside {
  actor: string;
  /** By default as it is. */
  jobId?: string | null;
  /** Reason of the failure; by default none. */
  reason?: string | null;
  /** By default as it is. */
  caseId?: string | null;
}

/**
 * Compare-and-set of the status, with its audit entry. Returns the changed submission; null if the present status does
 * not allow the move.
 */
export async function moveTo(
  em: EntityManager,
  submission: Locked,
  to: SubmissionStatus,
  { actor, jobId = submission.jobId, reason = null, caseId = null, set = '', returned = NOTHING }: Move,
): Promise<Moved | null> {
  const detail = { from: submission.status, job_id: jobId, reason };
  const [row] = await query<Pick<Moved, 'flags' | 'returned'>>(em, moveStatement({ set, returned }), [
    submission.id,
    to,
    statusesBefore(to),
    jobId,
    reason,
    caseId,
    actor,
    JSON.stringify(detail),
  ]);
  return row ? { ...submission, ...row, status: to, jobId, failureReason: reason } : null;
}

/**
 * $1 submission, $2 status, $3 legal statuses before, $4 run, $5 reason, $6 case or null for its present one, $7 actor,
 * $8 detail.
 */
function moveStatement({ set, returned }: Required<Beside>): string {
  return `with moved as (
      update submission s set status = $2, job_id = $4, failure_reason = $5, case_id = coalesce($6, s.case_id),
             updated_at = clock_timestamp()${set}
       where s.id = $1 and s.status = any($3::text[])
   returning s.id, s.zip_import_id, ${FLAGS}, ${returned} as returned
    ), audited as (
      insert into audit_event (actor, action, import_id, submission_id, detail)
      select $7, 'submission.' || $2, zip_import_id, id, $8::jsonb from moved
    )
    select flags, returned from moved`;
}
