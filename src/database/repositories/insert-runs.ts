/**
 * What a `regulator-insert` run reads and writes. Every status change is a compare-and-set in SQL, so
 * that two workers cannot move the same submission in different directions (decision §statuses-move-one-way).
 */
import { INSERT_STEPS, type InsertStep } from '../../contract/steps.ts';
import { remainingSteps } from '../../domain/steps.ts';
import { lockProductOf } from '../locks.ts';
import type { Orm } from '../orm.ts';
import { query } from '../query.ts';
import { ALL_STEPS, lock, lockIfThere, moveTo, PASS_ABSENT_SECTIONS, takeOver } from '../status-moves.ts';
import { type BegunStep, FIRST_STEP_BEGUN, firstStepOf } from './insert-steps.ts';

/** What a run has to do, decided once at its beginning. */
export type InsertDecision =
  | { kind: 'run'; steps: InsertStep[] }
  /** Inserted already: by this submission, or by another with identical content. */
  | { kind: 'inserted'; caseId: string | null; by: number }
  /** A newer submission of the product has been queued: this one must not overtake it. */
  | { kind: 'superseded'; by: number }
  /** The end of this very run is recorded: it was ended from outside before it began, and its worker has not heard of it. */
  | { kind: 'ended'; reason: string };

export interface Beginning {
  decision: InsertDecision;
  /** The step that has begun with the run; null where there is none, or where a run goes on behind it. */
  begun: BegunStep | null;
}

export function createInsertRunRepository(orm: Orm) {
  return {
    /**
     * The first act of a run: decides what is to be done and, if anything is, takes the submission over.
     *
     * @throws NotFound when the submission is not there
     */
    async begin(submissionId: number, runId: string, actor: string): Promise<Beginning> {
      return orm.em.fork().transactional(async (em) => {
        await lockProductOf(em, submissionId);
        const submission = await lock(em, submissionId);
        const { id, caseId, newer, twin, twinCaseId } = submission;
        if (submission.status === 'regulator_inserted') return only({ kind: 'inserted', caseId, by: id });
        if (newer !== null) {
          // One that has just been started still counts as not queued: its start is told after this, or never.
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
     * A run was started for the submission: it counts as being inserted from now on. Does nothing when the run
     * was faster and has begun, or even ended, by itself.
     */
    async expect(submissionId: number, runId: string, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        await lockProductOf(em, submissionId);
        const submission = await lock(em, submissionId);
        if (submission.jobId !== runId) await takeOver(em, submission, runId, actor);
      });
    },

    /**
     * Every step is done: it does not matter which run says so. Returns the case, or undefined when steps are
     * left, which a run that was reset to its end cannot know.
     */
    async finish(submissionId: number, runId: string, actor: string): Promise<string | null | undefined> {
      return orm.em.fork().transactional(async (em) => {
        const submission = await lock(em, submissionId);
        const { caseId, flags } = submission;
        if (submission.status === 'regulator_inserted') return caseId;
        if (remainingSteps(flags).length > 0) return undefined;
        // Its end may have been recorded meanwhile by somebody who did not know how far it was.
        const isOwn = submission.jobId === runId && submission.status === 'regulator_inserting';
        const own = isOwn ? submission : await takeOver(em, submission, runId, actor);
        return (await moveTo(em, own, 'regulator_inserted', { actor })) ? caseId : undefined;
      });
    },

    /** Who has asked for the cancellation of its import, while that ends; null where nobody has. */
    async cancelledBy(submissionId: number): Promise<string | null> {
      const [row] = await query<{ actor: string | null }>(orm, CANCELLED_BY, [submissionId]);
      return row?.actor ?? null;
    },

    /** Keeps the reason. False when the run does not own the submission (any more), or it has ended. */
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
