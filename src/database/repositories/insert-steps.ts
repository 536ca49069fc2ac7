/**
 * Records of the steps of a `regulator-insert` run: one statement each, because they run six times for every product.
 * The statement that completes a step also begins the next step or ends the insert.
 */

import { type RawBuilder, sql } from 'kysely';
import { INSERT_STEPS, type InsertStep } from '../../contract/steps.ts';
import { NotFound } from '../../domain/client-errors.ts';
import type { OpenCase } from '../../domain/regulator.ts';
import { LOCAL_STEP_BYTES } from '../../domain/steps.ts';
import { PREPARED } from '../connections.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';
import { auditOfMoved } from '../status-moves.ts';
import {
  type BegunStep,
  type StepRow,
  type StepSubmission,
  stepColumns,
  stepSubmission,
} from '../step-data.ts';

/** Data of a step, or the reason why it must not run. */
export type StepEntry =
  | { kind: 'done' }
  | { kind: 'not-owner'; productId: string; jobId: string | null }
  | { kind: 'open'; submission: StepSubmission };

/** The regulator's answer to a step. */
export interface AcceptedStep {
  opened?: OpenCase;
  modifiedDate?: string;
  /** Links of the sent attachments. */
  sent?: number[];
}

/** Result of completing an accepted step. */
export type CompletedStep =
  /** The next step has begun. */
  | ({ kind: 'next' } & BegunStep)
  /** The last step is done: the submission is inserted. */
  | { kind: 'inserted'; caseId: string | null }
  /** Another run has to continue, or this one has to query again. */
  | { kind: 'completed' };

export function createInsertStepRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  /** Sets the flag, and begins the next step if the run owns the submission. Returns the data of the next step. */
  async function completeAndBegin(
    id: number,
    step: InsertStep,
    next: InsertStep,
    runId: string,
    accepted: AcceptedStep,
  ): Promise<StepRow | undefined> {
    return db.row<StepRow>`${PREPARED}
      with sent as (
        ${markSent(accepted)}
      )
      update submission s
         set ${completion(step, accepted)},
             current_step = case when s.status = 'regulator_inserting' and s.job_id = ${runId} then ${next}
                                 else s.current_step end
       where s.id = ${id}
      returning ${stepColumns(next, { justSent: accepted.sent ?? [] })}
    `;
  }

  /**
   * Sets the flag and ends the insert with its audit entry, if the run owns the submission and no other step is left.
   * Otherwise changes nothing of the submission and returns nothing.
   */
  async function completeAndEnd(
    id: number,
    step: InsertStep,
    { runId, actor }: { runId: string; actor: string },
    accepted: AcceptedStep,
  ): Promise<{ caseId: string | null } | undefined> {
    const others = INSERT_STEPS.filter((other) => other !== step).map((other) => sql.ref(`s.${other}`));
    return db.row<{ caseId: string | null }>`${PREPARED}
      with sent as (
        ${markSent(accepted)}
      ), moved as (
        update submission s
           set ${completion(step, accepted)}, status = 'regulator_inserted', failure_reason = null
         where s.id = ${id} and s.status = 'regulator_inserting' and s.job_id = ${runId}
           and ${sql.join(others, sql` and `)}
        returning s.id, s.zip_import_id, s.case_id
      ), audited as (
        ${auditOfMoved({ actor, from: 'regulator_inserting', to: 'regulator_inserted', jobId: runId })}
      )
      select case_id from moved
    `;
  }

  /** Records what the regulator has accepted, with these assignments to the submission `s`. */
  async function record(id: number, accepted: AcceptedStep, assignments: RawBuilder<unknown>): Promise<void> {
    await db.run`
      with sent as (
        ${markSent(accepted)}
      )
      update submission s set ${assignments} where s.id = ${id}
    `;
  }

  return {
    /**
     * Begins a step for the run that owns the submission. Otherwise returns that another run owns it, or that the step
     * is done.
     *
     * @param maxBytes size up to which the section is loaded; by default that of a local step
     */
    async enterStep(
      submissionId: number,
      step: InsertStep,
      runId: string,
      maxBytes: number = LOCAL_STEP_BYTES,
    ): Promise<StepEntry> {
      // A repeated attempt writes nothing: a write would change the version that polling clients compare.
      const row = await db.row<StepRow>`${PREPARED}
        with begun as (
          update submission set current_step = ${step}
           where id = ${submissionId} and status = 'regulator_inserting' and job_id = ${runId}
             and current_step is distinct from ${step}
        )
        select ${stepColumns(step, { maxBytes })} from submission s where s.id = ${submissionId}
      `;
      if (!row) throw new NotFound('Submission', submissionId);
      if (row.flags[step] || row.status === 'regulator_inserted') return { kind: 'done' };
      if (!isOwned(row, runId)) return { kind: 'not-owner', productId: row.productId, jobId: row.jobId };
      return { kind: 'open', submission: stepSubmission(row) };
    },

    /** Records the accepted parts of a step that is not done: the next attempt continues after them. */
    recordParts: (submissionId: number, accepted: AcceptedStep) =>
      record(submissionId, accepted, caseOf(accepted)),

    /**
     * Completes a step that the regulator accepted, or that had nothing to send. Sets its flag. If the run owns the
     * submission, the same statement begins the next step or ends the insert.
     *
     * @param accepted the case, if this step opened it, and the sent attachments
     */
    async completeStep(
      { id, remaining }: Pick<StepSubmission, 'id' | 'remaining'>,
      step: InsertStep,
      run: { runId: string; actor: string },
      accepted: AcceptedStep,
    ): Promise<CompletedStep> {
      const next = remaining[remaining.indexOf(step) + 1];
      if (next === undefined) {
        const ended = await completeAndEnd(id, step, run, accepted);
        if (ended) return { kind: 'inserted', caseId: ended.caseId };
        await record(id, accepted, completion(step, accepted));
        return { kind: 'completed' };
      }
      const row = await completeAndBegin(id, step, next, run.runId, accepted);
      if (!row || !isOwned(row, run.runId) || row.flags[next]) return { kind: 'completed' };
      return { kind: 'next', step: next, submission: stepSubmission(row) };
    },
  };
}

function isOwned({ status, jobId }: StepRow, runId: string): boolean {
  return status === 'regulator_inserting' && jobId === runId;
}

/** Statement: records the attachments of a step as sent. Those that are recorded keep their time. */
function markSent({ sent = [] }: AcceptedStep) {
  return sql`
    update submission_attachment set sent_at = clock_timestamp()
     where id = any(${sent}::bigint[]) and sent_at is null`;
}

/** Assignments to the submission `s`: the step's flag, and its case. */
function completion(step: InsertStep, accepted: AcceptedStep) {
  return sql`${sql.ref(step)} = true, ${caseOf(accepted)}`;
}

/** Assignments to the submission `s`: the case, as far as the regulator has returned it. */
function caseOf({ opened, modifiedDate = opened?.modifiedDate }: AcceptedStep) {
  return sql`
    case_id = coalesce(${opened?.caseId ?? null}, s.case_id),
    regulator_submission_date = coalesce(${opened?.submissionDate ?? null}, s.regulator_submission_date),
    regulator_modified_date = coalesce(${modifiedDate ?? null}, s.regulator_modified_date),
    regulator_submission_type = coalesce(${opened?.submissionType ?? null}, s.regulator_submission_type),
    updated_at = clock_timestamp()`;
}
