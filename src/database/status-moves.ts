/**
 * Moves a submission from one status to the next: lock, compare-and-set and audit entry, in few statements, because
 * every insert begins with it (decision §statuses-move-one-way).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { FailureCode } from '../contract/failures.ts';
import { reasonsText } from '../contract/reasons.ts';
import type { SubmissionStatus } from '../contract/statuses.ts';
import { INSERT_STEPS } from '../contract/steps.ts';
import type { Reason } from '../contract/types.ts';
import { NotFound } from '../domain/client-errors.ts';
import type { StepFlags } from '../domain/steps.ts';
import { statusesBefore } from '../domain/submission.ts';
import { NEWEST_SUPERSEDING } from './conditions.ts';
import type { SubmissionRow } from './entities/submission.ts';
import { type Columns, statements } from './statements.ts';

/** A locked submission, with the data that decides its next status. */
export interface Locked
  extends Columns<SubmissionRow, 'id' | 'status' | 'jobId' | 'failureReason' | 'failureCode' | 'caseId'> {
  flags: StepFlags;
  /** The newest submission of the product that supersedes it. */
  newer: number | null;
  /** The last inserted submission of the product, if its content is identical. */
  duplicate: number | null;
  duplicateCaseId: string | null;
  /** Whether its import is being cancelled, and by which actor. */
  isBeingCancelled: boolean;
  cancelledBy: string | null;
}

/** The flags of the submission `s`, as one object by step. */
export const STEP_FLAGS = sql<StepFlags>`jsonb_build_object(${sql.join(
  INSERT_STEPS.flatMap((step) => [sql.lit(step), sql.ref(`s.${step}`)]),
)})`;

/** Query of one row of `Locked`: locks the submission until the transaction ends. No row for an unknown one. */
export function lockedSubmission(submissionId: number) {
  return sql<Locked>`
    select s.id, s.status, s.job_id, s.failure_reason, s.failure_code, s.case_id,
           ${STEP_FLAGS} as flags, ${NEWEST_SUPERSEDING} as newer, duplicate.id as duplicate, duplicate.case_id as duplicate_case_id,
           i.cancel_requested_at is not null and i.completed_at is null as is_being_cancelled, i.cancelled_by
      from submission s
      join zip_import i on i.id = s.zip_import_id
      left join lateral (
        select t.id, t.case_id, t.content_hash from submission t
         where t.product_id = s.product_id and t.id <> s.id and t.status = 'regulator_inserted'
         order by t.zip_import_id desc limit 1
      ) as duplicate on duplicate.content_hash = s.content_hash
     where s.id = ${submissionId}
       for no key update of s`;
}

/** Locks the submission until the transaction ends; undefined for an unknown one. */
export async function lockIfThere(em: EntityManager, submissionId: number): Promise<Locked | undefined> {
  return statements(em).row<Locked>`${lockedSubmission(submissionId)}`;
}

/** @throws NotFound for an unknown submission */
export async function lock(em: EntityManager, submissionId: number): Promise<Locked> {
  const submission = await lockIfThere(em, submissionId);
  if (!submission) throw new NotFound('Submission', submissionId);
  return submission;
}

/** Makes `runId` the owner of the submission, unless the submission is inserted. Returns it as it is then. */
export async function takeOver(
  em: EntityManager,
  submission: Locked,
  runId: string,
  actor: string,
): Promise<Locked> {
  if (submission.status === 'regulator_inserting') {
    await statements(em).run`
      update submission set job_id = ${runId}, current_step = null, failure_reason = null
       where id = ${submission.id}
    `;
  } else {
    await moveTo(em, submission, 'regulator_inserting', { actor, jobId: runId });
  }
  return {
    ...submission,
    status: 'regulator_inserting',
    jobId: runId,
    failureReason: null,
    failureCode: null,
  };
}

interface Move {
  actor: string;
  /** By default as it is. */
  jobId?: string | null;
  /** Reasons of the failure; by default none. */
  reasons?: Reason[] | null;
  /** The kind of the failure; by default none. */
  code?: FailureCode | null;
  /** Reasons in the audit trail, if they differ: they must name no person. */
  auditedReasons?: Reason[] | null;
  /** Further assignments. */
  also?: RawBuilder<unknown>;
}

/**
 * Compare-and-set of the status, with its audit entry. A new run has begun no step. False if the present status does not
 * allow the move.
 */
export async function moveTo(
  em: EntityManager,
  { id, status, jobId: presentRun }: Locked,
  to: SubmissionStatus,
  { actor, jobId = presentRun, reasons = null, code = null, auditedReasons = reasons, also }: Move,
): Promise<boolean> {
  const moved = await statements(em).row`
    with moved as (
      update submission
         set status = ${to}, job_id = ${jobId}, failure_reason = ${reasons && JSON.stringify(reasons)}::jsonb,
             failure_code = ${code}, updated_at = clock_timestamp()
             ${to === 'regulator_inserting' ? sql`, current_step = null` : sql``} ${also ? sql`, ${also}` : sql``}
       where id = ${id} and status = any(${statusesBefore(to)}::text[])
      returning id, zip_import_id
    ), audited as (
      ${auditOfMoved({ actor, from: status, to, jobId, reason: auditedReasons && reasonsText(auditedReasons) })}
    )
    select id from moved
  `;
  return moved !== undefined;
}

/**
 * Inserts the audit entry of a move for each row of `moved`, which has `id` and `zip_import_id` of the submission.
 *
 * @param from a column of `moved` where only the statement knows the status before the move; likewise the run
 */
export function auditOfMoved({
  actor,
  from,
  to,
  jobId,
  reason = null,
}: {
  actor: string;
  from: SubmissionStatus | RawBuilder<SubmissionStatus>;
  to: SubmissionStatus;
  jobId: string | null | RawBuilder<string>;
  reason?: string | null;
}) {
  return sql`
    insert into audit_event (actor, action, import_id, submission_id, detail)
    select ${actor}, ${`submission.${to}`}, zip_import_id, id,
           jsonb_build_object('from', ${from}::text, 'job_id', ${jobId}::text, 'reason', ${reason}::text)
      from moved`;
}
