/**
 * What a `regulator-insert` run reads and writes. Every status change is a compare-and-set in SQL, so
 * that two workers cannot move the same submission in different directions (architecture §statuses-move-one-way).
 */
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { NotFound } from '../../domain/errors.ts';
import { INSERT_STEPS, type InsertStep, remainingSteps, type StepFlags } from '../../domain/steps.ts';
import { type SubmissionStatus, statusesBefore } from '../../domain/submission.ts';
import { audit } from '../audit.ts';
import { FLAG_PROPERTY, Submission, type SubmissionRow } from '../entities/submission.ts';
import { lockProductOf } from '../locks.ts';
import type { Orm } from '../orm.ts';
import { query } from '../query.ts';
import { newestQueued } from '../superseded.ts';
import { flagsOf } from './submissions.ts';

/** What a run has to do, decided once at its beginning. */
export type InsertDecision =
  | { kind: 'run'; steps: InsertStep[] }
  /** Inserted already: by this submission, or by another with identical content. */
  | { kind: 'inserted'; caseId: string | null; by: number }
  /** A newer submission of the product has been queued: this one must not overtake it. */
  | { kind: 'superseded'; by: number };

export function createInsertRunRepository(orm: Orm) {
  return {
    /**
     * The first act of a run: decides what is to be done and, if anything is, takes the submission over.
     *
     * @throws NotFound when the submission is not there
     */
    async begin(submissionId: number, runId: string, actor: string): Promise<InsertDecision> {
      return orm.em.fork().transactional(async (em) => {
        await lockProductOf(em, submissionId);
        const submission = await lock(em, { id: submissionId });
        if (!submission) throw new NotFound('Submission', submissionId);
        if (submission.status === 'regulator_inserted') {
          return { kind: 'inserted', caseId: submission.caseId ?? null, by: submission.id };
        }
        const newer = (await newestQueued(em, [submission])).get(submissionId);
        if (newer !== undefined) {
          // One that has just been started still counts as not queued: its start is told after this, or never.
          const begun =
            submission.status === 'local' ? await takeOver(em, submission, runId, actor) : submission;
          await moveTo(em, begun, 'regulator_insert_failed', actor, {
            failureReason: `Superseded by submission ${newer} of the same product.`,
          });
          return { kind: 'superseded', by: newer };
        }
        const taken = await takeOver(em, submission, runId, actor);
        const twin = await insertedTwin(em, submission);
        if (twin) {
          const flags = Object.fromEntries(Object.values(FLAG_PROPERTY).map((property) => [property, true]));
          await moveTo(em, taken, 'regulator_inserted', actor, {
            ...flags,
            caseId: twin.caseId ?? null,
          });
          return { kind: 'inserted', caseId: twin.caseId ?? null, by: twin.id };
        }
        const [flags] = await query<StepFlags>(em, PASS_ABSENT_SECTIONS, [submissionId]);
        return { kind: 'run', steps: remainingSteps(flags ?? flagsOf(submission)) };
      });
    },

    /**
     * A run was started for the submission: it counts as being inserted from now on. Does nothing when the run
     * was faster and has begun, or even ended, by itself.
     */
    async expect(submissionId: number, runId: string, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        await lockProductOf(em, submissionId);
        const submission = await lock(em, { id: submissionId });
        if (!submission) throw new NotFound('Submission', submissionId);
        if (submission.jobId !== runId) await takeOver(em, submission, runId, actor);
      });
    },

    /**
     * Every step is done: it does not matter which run says so. Returns the case, or undefined when steps are
     * left, which a run that was reset to its end cannot know.
     */
    async finish(submissionId: number, runId: string, actor: string): Promise<string | null | undefined> {
      return orm.em.fork().transactional(async (em) => {
        const submission = await lock(em, { id: submissionId });
        if (!submission) throw new NotFound('Submission', submissionId);
        const caseId = submission.caseId ?? null;
        if (submission.status === 'regulator_inserted') return caseId;
        if (remainingSteps(flagsOf(submission)).length > 0) return undefined;
        // Its end may have been recorded meanwhile by somebody who did not know how far it was.
        const isOwn = submission.jobId === runId && submission.status === 'regulator_inserting';
        const own = isOwn ? submission : await takeOver(em, submission, runId, actor);
        return (await moveTo(em, own, 'regulator_inserted', actor, { failureReason: null }))
          ? caseId
          : undefined;
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
        const submission = await lock(em, { id: submissionId, jobId: runId });
        return submission
          ? moveTo(em, submission, 'regulator_insert_failed', actor, { failureReason: reason })
          : false;
      });
    },
  };
}

const CANCELLED_BY = `select i.cancelled_by as actor from submission s join zip_import i on i.id = s.zip_import_id
  where s.id = $1 and i.completed_at is null`;

/** A section that the product does not have has nothing to send: its step is done. The first one opens the case. */
const PASS_ABSENT_SECTIONS = `update submission set ${INSERT_STEPS.slice(1)
  .map((step) => `${step} = ${step} or sections -> '${step}' = 'null'::jsonb`)
  .join(', ')} where id = $1 returning ${INSERT_STEPS.join(', ')}`;

/**
 * A submission as it is, locked until the transaction ends. Not a managed entity: one that is changed would
 * be written again then, behind the back of the compare-and-sets.
 */
function lock(
  em: EntityManager,
  where: { id: number; jobId?: string | null },
): Promise<SubmissionRow | null> {
  return em.findOne(Submission, where, { disableIdentityMap: true, lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** The submission that was inserted last for the product, if its content is the same as this one's. */
async function insertedTwin(em: EntityManager, { id, productId, contentHash }: SubmissionRow) {
  const last = await em.findOne(
    Submission,
    { productId, id: { $ne: id }, status: 'regulator_inserted' },
    { orderBy: { id: 'desc' }, disableIdentityMap: true },
  );
  return last?.contentHash === contentHash ? last : null;
}

/** Makes `runId` the run that works on the submission, and returns it as it is then. */
async function takeOver(
  em: EntityManager,
  submission: SubmissionRow,
  runId: string,
  actor: string,
): Promise<SubmissionRow> {
  const values = { jobId: runId, failureReason: null };
  if (submission.status === 'regulator_inserting') {
    await em.nativeUpdate(Submission, { id: submission.id, status: 'regulator_inserting' }, values);
  } else {
    await moveTo(em, submission, 'regulator_inserting', actor, values);
  }
  return { ...submission, ...values, status: 'regulator_inserting' };
}

/** Compare-and-set of the status, with its audit entry. False when the submission was not in a legal state for it. */
async function moveTo(
  em: EntityManager,
  submission: SubmissionRow,
  to: SubmissionStatus,
  actor: string,
  values: Partial<SubmissionRow>,
): Promise<boolean> {
  const now = new Date();
  const where = { id: submission.id, status: { $in: statusesBefore(to) } };
  const changed = await em.nativeUpdate(Submission, where, { ...values, status: to, updatedAt: now });
  if (changed === 0) return false;
  const detail = {
    from: submission.status,
    job_id: values.jobId ?? submission.jobId ?? null,
    reason: values.failureReason ?? null,
  };
  const { id: submissionId, packageImport: importId } = submission;
  await audit(em, [{ actor, action: `submission.${to}`, importId, submissionId, detail }]);
  return true;
}
