/**
 * Records of a `regulator-insert` run. Every status change is a compare-and-set in SQL, so that two workers cannot move
 * the same submission in different directions (decision §statuses-move-one-way).
 */
import { INSERT_STEPS, type InsertStep } from '../../contract/steps.ts';
import { remainingSteps } from '../../domain/steps.ts';
import { lockProductOf } from '../coordination/locks.ts';
import type { Orm } from '../orm.ts';
import { query } from '../query.ts';
import { ALL_STEPS, lock, lockIfThere, moveTo, PASS_ABSENT_SECTIONS, takeOver } from '../status-moves.ts';
import { type BegunStep, FIRST_STEP_BEGUN, firstStepOf } from './insert-steps.ts';

/** Decision about a run, made once at its beginning. */
export type InsertDecision =
  | { kind: 'run'; steps: InsertStep[] }
  /** Inserted already, by this submission or by another with identical content. */
  | { kind: 'inserted'; caseId: string | null; by: number }
  /** A newer submission of the product was queued: this one must not overtake it. */
  | { kind: 'superseded'; by: number }
  /**
   * The end of this run is recorded: it was ended from outside before it began, and its worker has not received that.
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
      return orm.em.fork().transactional(async (em) => {
        await lockProductOf(em, submissionId);
        const submission = await lock(em, submissionId);
        const { id, caseId, newer, twin, twinCaseId } = submission;
        if (submission.status === 'regulator_inserted') return only({ kind: 'inserted', caseId, by: id });
        if (newer !== null) {
          // A submission that has just been started still has the status `local`: its start is recorded after this, or
          // never.
          const begun =
            submission.status === 'local' ? await takeOver(em, submission, runId, actor) : submission;
          const reason = `Superseded by submission ${newer} of the same product.`;
          await moveTo(em, begun, 'regulator_insert_failed', { actor, reason });
          return only({ kind: 'superseded', by: newer });
        }
        if (submission.status === 'regulator_insert_failed' && submission.jobId === runId)
          return only({ kind: 'ended', reason: submission.failureReason ?? '' });
        if (twin !== null) {
          const taken = await takeOver(em, submission, runId, actor);
          await moveTo(em, taken, 'regulator_inserted', { actor, caseId: twinCaseId, set: ALL_STEPS });
          return only({ kind: 'inserted', caseId: twinCaseId, by: twin });
        }
        const fromStart = !submission.flags[INSERT_STEPS[0]];
        const beside = fromStart ? FIRST_STEP_BEGUN : { set: PASS_ABSENT_SECTIONS };
        const { flags, returned } = await takeOver(em, submission, runId, actor, beside);
        const begun = returned ? firstStepOf(returned) : null;
        return { decision: { kind: 'run', steps: remainingSteps(flags) }, begun };
      });
    },

    /**
     * Records the start of a run: the submission counts as being inserted. Does nothing if the run has begun or ended
     * already.
     */
    async expect(submissionId: number, runId: string, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        await lockProductOf(em, submissionId);
        const submission = await lock(em, submissionId);
        if (submission.jobId !== runId) await takeOver(em, submission, runId, actor);
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
      const [row] = await query<{ actor: string | null }>(orm, CANCELLED_BY, [submissionId]);
      return row?.actor ?? null;
    },

    /**
     * Records the failure with its reason. False if the run does not own the submission, or the submission has ended.
     */
    async fail(submissionId: number, runId: string | null, reason: string, actor: string): Promise<boolean> {
      return orm.em.fork().transactional(async (em) => {
        const submission = await lockIfThere(em, submissionId);
        if (submission?.jobId !== runId) return false;
        return (await moveTo(em, submission, 'regulator_insert_failed', { actor, reason })) !== null;
      });
    },
  };
}

function only(decision: InsertDecision): Beginning {
  return { decision, begun: null };
}

const CANCELLED_BY = `select i.cancelled_by as actor from submission s join zip_import i on i.id = s.zip_import_id
  where s.id = $1 and i.completed_at is null`;
