/**
 * Records of a `regulator-insert` run. Every status change is a compare-and-set in SQL, so that two workers cannot move
 * the same submission in different directions (decision §statuses-move-one-way).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { FailureCode } from '../../contract/failures.ts';
import { plainReason, reasonsText } from '../../contract/reasons.ts';
import type { SubmissionStatus } from '../../contract/statuses.ts';
import { INSERT_STEPS, type InsertStep } from '../../contract/steps.ts';
import type { Reason } from '../../contract/types.ts';
import { INSERT_CANCELLED, insertCancelled } from '../../domain/queue.ts';
import { remainingSteps } from '../../domain/steps.ts';
import { isRunnable } from '../../domain/submission.ts';
import { PREPARED } from '../connections.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';
import {
  auditOfMoved,
  type Locked,
  lock,
  lockedSubmission,
  lockIfThere,
  moveTo,
  takeOver,
} from '../status-moves.ts';
import { type BegunStep, type StepRow, stepColumns, stepSubmission } from '../step-data.ts';

/** Decision about a run, made once at its beginning. */
export type InsertDecision =
  | { kind: 'run'; steps: InsertStep[] }
  /** Inserted already, by this submission or by another with identical content. */
  | { kind: 'inserted'; caseId: string | null; by: number }
  /** A submission of a later import was queued for the product: this one must not overtake it. */
  | { kind: 'superseded'; by: number }
  /**
   * The end of this run is already recorded: it was ended from outside before it began, or its import is being cancelled.
   */
  | { kind: 'ended'; reason: string };

export interface Beginning {
  decision: InsertDecision;
  /** The step that begins with the run; null for no step, or for a later step than the first. */
  begun: BegunStep | null;
}

export function createInsertRunRepository(orm: Orm) {
  return {
    /**
     * Begins a run: decides its steps and, if steps are left, makes it the owner of the submission.
     *
     * @throws NotFound for an unknown submission
     */
    async begin(submissionId: number, runId: string, actor: string): Promise<Beginning> {
      const begun = await beginSteps(orm.em.fork(), submissionId, runId, actor);
      if (begun) return begun;
      return orm.em.fork().transactional(async (em) => {
        const submission = await lock(em, submissionId);
        const { id, caseId, newer, duplicate, duplicateCaseId } = submission;
        if (submission.status === 'regulator_inserted') return only({ kind: 'inserted', caseId, by: id });
        // A submission with an inserted duplicate sends nothing, so it cannot overtake the newer one.
        if (newer !== null && duplicate === null) {
          // The start of this run may be recorded later. It must then find this run as the owner. Otherwise it sets the
          // failed submission to `regulator_inserting`.
          const begun =
            submission.jobId === runId ? submission : await takeOver(em, submission, runId, actor);
          const reasons = [plainReason(`Superseded by submission ${newer} of the same product.`)];
          await moveTo(em, begun, 'regulator_insert_failed', { actor, reasons });
          return only({ kind: 'superseded', by: newer });
        }
        if (submission.status === 'regulator_insert_failed' && submission.jobId === runId)
          return only({ kind: 'ended', reason: reasonWithoutName(submission) });
        if (submission.isBeingCancelled) {
          const taken = await takeOver(em, submission, runId, actor);
          await moveTo(em, taken, 'regulator_insert_failed', {
            actor,
            reasons: [plainReason(insertCancelled(submission.cancelledBy))],
            auditedReasons: [plainReason(INSERT_CANCELLED)],
            code: 'cancelled',
          });
          return only({ kind: 'ended', reason: INSERT_CANCELLED });
        }
        if (duplicate !== null) {
          const taken = await takeOver(em, submission, runId, actor);
          await moveTo(em, taken, 'regulator_inserted', { actor, also: insertOfDuplicate(duplicate) });
          return only({ kind: 'inserted', caseId: duplicateCaseId, by: duplicate });
        }
        // The condition that stopped the first attempt no longer holds.
        const begunNow = await beginSteps(em, submissionId, runId, actor);
        if (!begunNow)
          throw new Error(`Submission ${id} is ${submission.status}, and its steps cannot begin`);
        return begunNow;
      });
    },

    /**
     * Records the start of a run: the submission counts as being inserted. If the run has begun or ended already, it only
     * records who asked for the run: the run itself does not know that.
     */
    async recordStart(submissionId: number, runId: string, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const submission = await lock(em, submissionId);
        if (submission.jobId === runId) await auditRequester(em, submissionId, runId, actor);
        else await takeOver(em, submission, runId, actor);
      });
    },

    /**
     * Ends the insert after every step, whichever run calls it. Returns the case. Returns undefined if steps are left:
     * a run that was reset to its end cannot know that.
     */
    async finish(submissionId: number, runId: string, actor: string): Promise<string | null | undefined> {
      return orm.em.fork().transactional(async (em) => {
        const submission = await lock(em, submissionId);
        const { caseId, flags } = submission;
        if (submission.status === 'regulator_inserted') return caseId;
        if (remainingSteps(flags).length > 0) return undefined;
        // Its end may have been recorded meanwhile by an actor without its progress.
        const isOwn = submission.jobId === runId && submission.status === 'regulator_inserting';
        const own = isOwn ? submission : await takeOver(em, submission, runId, actor);
        return (await moveTo(em, own, 'regulator_inserted', { actor })) ? caseId : undefined;
      });
    },

    /** The actor who cancelled the import of a submission, until the import is over; null for none. */
    async cancelledBy(submissionId: number): Promise<string | null> {
      const row = await statements(orm.em.fork()).row<{ actor: string | null }>`
        select i.cancelled_by as actor from submission s join zip_import i on i.id = s.zip_import_id
         where s.id = ${submissionId} and i.completed_at is null
      `;
      return row?.actor ?? null;
    },

    /**
     * Records the failure with its reasons. False if the run does not own the submission, or the submission has ended.
     *
     * @param options.code by default that of a run which could not record its end itself
     * @param options.auditedReasons without the name of a person: the trail has it where the person acted
     * @param options.hasBegun false for a run that was cancelled before its beginning. Its start may be recorded after its
     *   end, and must find the run as the owner.
     */
    async fail(
      submissionId: number,
      runId: string,
      reasons: Reason[],
      actor: string,
      {
        hasBegun = true,
        ...options
      }: { code?: FailureCode; auditedReasons?: Reason[]; hasBegun?: boolean } = {},
    ): Promise<boolean> {
      return orm.em.fork().transactional(async (em) => {
        const found = await lockIfThere(em, submissionId);
        if (!found) return false;
        const isUnknown = !hasBegun && found.jobId !== runId && isRunnable(found.status);
        const submission = isUnknown ? await takeOver(em, found, runId, actor) : found;
        if (submission.jobId !== runId) return false;
        return moveTo(em, submission, 'regulator_insert_failed', {
          actor,
          reasons,
          code: 'run_lost',
          ...options,
        });
      });
    },
  };
}

/** The reason of a failed insert, for Temporal: names of people stay in PostgreSQL (decision §runs-in-temporal). */
function reasonWithoutName({ failureCode, failureReason }: Locked): string {
  return failureCode === 'cancelled' ? INSERT_CANCELLED : reasonsText(failureReason ?? []);
}

/** Adds the requester of a run to the audit trail, once. */
async function auditRequester(
  em: EntityManager,
  submissionId: number,
  runId: string,
  actor: string,
): Promise<void> {
  const action = 'submission.regulator_inserting' satisfies `submission.${SubmissionStatus}`;
  await statements(em).run`
    insert into audit_event (actor, action, import_id, submission_id, detail)
    select ${actor}, ${action}, s.zip_import_id, s.id, jsonb_build_object('job_id', ${runId}::text)
      from submission s
     where s.id = ${submissionId} and not exists (
       select from audit_event e
        where e.submission_id = s.id and e.action = ${action} and e.actor = ${actor} and e.detail ->> 'job_id' = ${runId})
  `;
}

function only(decision: InsertDecision): Beginning {
  return { decision, begun: null };
}

const [FIRST_STEP, ...LATER_STEPS] = INSERT_STEPS;

/**
 * Makes the run the owner of the submission and sets the flag of each later step whose section the product does not
 * have. The first step always runs, because it opens the case: it begins unless it is done. One statement, because
 * every insert begins with it. Changes nothing and returns undefined where another decision than `run` is possible.
 * When four transactions lock the row at once, the statement may deadlock with another one: PostgreSQL ends one of the
 * two, and its attempt is repeated.
 */
async function beginSteps(
  em: EntityManager,
  submissionId: number,
  runId: string,
  actor: string,
): Promise<Beginning | undefined> {
  const firstFlag = sql.ref(`s.${FIRST_STEP}`);
  const absentSectionsDone = sql.join(
    LATER_STEPS.map((step) => {
      const flag = sql.ref(step);
      return sql`${flag} = s.${flag} or s.sections -> ${sql.lit(step)} = 'null'::jsonb`;
    }),
  );
  // The status is `regulator_inserting` before, if the start of this run was recorded before its beginning.
  const row = await statements(em).row<StepRow>`${PREPARED}
    with locked as (
      ${lockedSubmission(submissionId)}
    ), moved as (
      update submission s
         set status = 'regulator_inserting', job_id = ${runId}, failure_reason = null, failure_code = null,
             updated_at = case when locked.status = 'regulator_inserting' then s.updated_at else clock_timestamp() end,
             current_step = case when ${firstFlag} then s.current_step else ${FIRST_STEP} end,
             ${absentSectionsDone}
        from locked
       where s.id = locked.id and locked.status <> 'regulator_inserted' and newer is null and duplicate is null
         and not is_being_cancelled and not (locked.status = 'regulator_insert_failed' and locked.job_id = ${runId})
      returning s.zip_import_id, locked.status as status_before, ${stepColumns(FIRST_STEP)}
    ), audited as (
      ${auditOfMoved({ actor, from: sql.ref<SubmissionStatus>('status_before'), to: 'regulator_inserting', jobId: runId })}
       where status_before <> 'regulator_inserting'
    )
    select * from moved
  `;
  if (!row) return undefined;
  return {
    decision: { kind: 'run', steps: remainingSteps(row.flags) },
    begun: row.flags[FIRST_STEP] ? null : { step: FIRST_STEP, submission: stepSubmission(row) },
  };
}

/** Assignments that record the insert of a submission with identical content as the insert of this one. */
function insertOfDuplicate(duplicate: number) {
  const everyFlag = sql.join(INSERT_STEPS.map((step) => sql`${sql.ref(step)} = true`));
  return sql`
    (case_id, regulator_submission_date, regulator_modified_date, regulator_submission_type) = (
      select coalesce(t.case_id, submission.case_id), t.regulator_submission_date, t.regulator_modified_date,
             t.regulator_submission_type
        from submission t where t.id = ${duplicate}),
    ${everyFlag}`;
}
