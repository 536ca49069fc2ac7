/**
 * What a `regulator-insert` run reads and writes. Every status change is a compare-and-set in SQL, so
 * that two workers cannot move the same submission in different directions (architecture §statuses-move-one-way).
 */
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { NotFound } from '../../domain/errors.ts';
import type { Json } from '../../domain/product.ts';
import { type InsertStep, remainingSteps, SUBMITTER_STEP } from '../../domain/steps.ts';
import { type SubmissionStatus, statusesBefore } from '../../domain/submission.ts';
import { audit } from '../audit.ts';
import { FLAG_PROPERTY, Submission, type SubmissionRow } from '../entities/submission.ts';
import { lockProductOf } from '../locks.ts';
import type { Orm } from '../orm.ts';
import { newestQueued } from '../superseded.ts';
import { flagsOf } from './submissions.ts';

/** What a run has to do, decided once at its beginning. */
export type InsertDecision =
  | { kind: 'run'; steps: InsertStep[] }
  /** Inserted already: by this submission, or by another with identical content. */
  | { kind: 'inserted'; caseId: string | null; by: number }
  /** A newer submission of the product has been queued: this one must not overtake it. */
  | { kind: 'superseded'; by: number };

/** What a step needs, or why it must not run. */
export type StepEntry =
  | { kind: 'done' }
  | { kind: 'not-owner'; productId: string; jobId: string | null }
  | { kind: 'open'; submission: StepSubmission };

export interface StepSubmission {
  id: number;
  uuid: string;
  productId: string;
  productTypeCode: number;
  submissionTypeCode: number | null;
  caseId: string | null;
  section: Json;
  /** Whether something that we have and have not sent yet goes with the section. */
  hasAttachments: boolean;
}

export interface RegulatorDates {
  submissionDate?: string;
  modifiedDate?: string;
  submissionType?: string;
}

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
          await moveTo(em, submission, 'regulator_insert_failed', actor, {
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
        return { kind: 'run', steps: remainingSteps(flagsOf(submission)) };
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

    /** Begins a step for the run that owns the submission; says so when another does, or nothing is to be done. */
    async enterStep(submissionId: number, step: InsertStep, runId: string): Promise<StepEntry> {
      const [row] = await orm.em
        .fork()
        .execute<StepRow[]>(enterStepStatement(step), [step, submissionId, runId, step, step, submissionId]);
      if (!row) throw new NotFound('Submission', submissionId);
      if (row.done || row.status === 'regulator_inserted') return { kind: 'done' };
      if (!row.entered) return { kind: 'not-owner', productId: row.product_id, jobId: row.job_id };
      return {
        kind: 'open',
        submission: {
          id: submissionId,
          uuid: row.uuid,
          productId: row.product_id,
          productTypeCode: row.product_type_code,
          submissionTypeCode: row.submission_type_code,
          caseId: row.case_id,
          section: withSubmitter(row.section, row.submitter),
          hasAttachments: row.has_attachments,
        },
      };
    },

    /** The regulator has opened the case. */
    async recordCase(submissionId: number, caseId: string, dates: RegulatorDates): Promise<void> {
      await orm.em
        .fork()
        .nativeUpdate(
          Submission,
          { id: submissionId },
          { caseId, ...regulatorColumns(dates), updatedAt: new Date() },
        );
    },

    /** The regulator has accepted the step (or there was nothing to send): sets its flag. */
    async completeStep(submissionId: number, step: InsertStep, dates: RegulatorDates): Promise<void> {
      await orm.em
        .fork()
        .nativeUpdate(
          Submission,
          { id: submissionId },
          { [FLAG_PROPERTY[step]]: true, ...regulatorColumns(dates), updatedAt: new Date() },
        );
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

interface StepRow {
  entered: boolean;
  done: boolean;
  status: SubmissionStatus;
  job_id: string | null;
  uuid: string;
  product_id: string;
  product_type_code: number;
  submission_type_code: number | null;
  case_id: string | null;
  section: Json;
  submitter: Json | null;
  has_attachments: boolean;
}

/**
 * One statement, and of the sections only the one that is sent: this runs six times for every product. The flag of
 * a step is the column of its name. The submitter's details go with the first step, where a package brought them.
 */
function enterStepStatement(step: InsertStep): string {
  const submitter =
    step === SUBMITTER_STEP ? 'select details from submitter where id = s.submitter_row_id' : 'null';
  return `with entered as (
            update submission set current_step = ?
             where id = ? and status = 'regulator_inserting' and job_id = ? returning id
          )
          select exists (select from entered) as entered, s.${step} as done, s.status, s.job_id, s.uuid, s.product_id,
                 s.product_type_code, s.submission_type_code, s.case_id, s.sections -> ? as section,
                 (${submitter}) as submitter,
                 exists (select from submission_attachment a
                          where a.submission_id = s.id and a.step = ? and a.attachment_row_id is not null
                            and a.sent_at is null) as has_attachments
            from submission s where s.id = ?`;
}

function withSubmitter(section: Json, details: Json | null): Json {
  const isObject = section !== null && typeof section === 'object' && !Array.isArray(section);
  return details !== null && isObject ? { ...section, SubmitterDetails: details } : section;
}

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

function regulatorColumns({ submissionDate, modifiedDate, submissionType }: RegulatorDates) {
  return {
    ...(submissionDate !== undefined && { regulatorSubmissionDate: submissionDate }),
    ...(modifiedDate !== undefined && { regulatorModifiedDate: modifiedDate }),
    ...(submissionType !== undefined && { regulatorSubmissionType: submissionType }),
  };
}
