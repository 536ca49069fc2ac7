/**
 * Records of the steps of a `regulator-insert` run: one statement each, because they run six times for every product.
 * The statement that completes a step also begins the next step or ends the insert.
 */

import type { SubmissionStatus } from '../../contract/statuses.ts';
import { INSERT_STEPS, type InsertStep } from '../../contract/steps.ts';
import { NotFound } from '../../domain/errors.ts';
import type { Json } from '../../domain/product.ts';
import type { OpenCase } from '../../domain/regulator-case.ts';
import { remainingSteps, type StepFlags, SUBMITTER_STEP } from '../../domain/steps.ts';
import type { Orm } from '../orm.ts';
import { query } from '../query.ts';
import { type Beside, PASS_ABSENT_SECTIONS } from '../status-moves.ts';

/** Data of a step, or the reason why it must not run. */
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
  /** Attachments of the section that we have and have not sent yet. */
  attachments: StepAttachment[];
  /** Remaining steps, this one first. */
  remaining: InsertStep[];
}

/** An attachment of a section. */
export interface StepAttachment {
  linkId: number;
  attachmentId: string;
  fileName: string;
  contentType: string;
  confidential: boolean;
  sizeBytes: number;
  sha256: string;
  storageKey: string;
}

/** The regulator's answer to a step. */
export interface AcceptedStep {
  opened?: OpenCase;
  modifiedDate?: string;
  /** Links of the sent attachments. */
  sent?: number[];
}

/** A step that a previous statement began. */
export interface BegunStep {
  step: InsertStep;
  /** Data of the step. */
  submission: StepSubmission;
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
  return {
    /**
     * Begins a step for the run that owns the submission. Otherwise returns that another run owns it, or that the step
     * is done.
     */
    async enterStep(submissionId: number, step: InsertStep, runId: string): Promise<StepEntry> {
      const [row] = await query<StepRow>(orm, enterStepStatement(step), [submissionId, runId, []]);
      if (!row) throw new NotFound('Submission', submissionId);
      if (row.done || row.status === 'regulator_inserted') return { kind: 'done' };
      if (!row.entered) return { kind: 'not-owner', productId: row.product_id, jobId: row.job_id };
      return { kind: 'open', submission: stepSubmission(row) };
    },

    /** Records a case whose step was not accepted. */
    async recordCase(submissionId: number, opened: OpenCase): Promise<void> {
      const { caseId, submissionDate, modifiedDate, submissionType } = opened;
      await query(orm, RECORD_CASE, [submissionId, caseId, submissionDate, modifiedDate, submissionType]);
    },

    /**
     * Completes a step that the regulator accepted, or that had nothing to send. Sets its flag. If the run owns the
     * submission, the same statement begins the next step or ends the insert.
     *
     * @param accepted the case, if this step opened it, and the sent attachments
     */
    async completeStep(
      { id, remaining }: Pick<StepSubmission, 'id' | 'remaining'>,
      step: InsertStep,
      { runId, actor }: { runId: string; actor: string },
      accepted: AcceptedStep,
    ): Promise<CompletedStep> {
      const { opened, modifiedDate = opened?.modifiedDate, sent = [] } = accepted;
      const values = [
        id,
        runId,
        sent,
        opened?.caseId ?? null,
        opened?.submissionDate ?? null,
        modifiedDate ?? null,
        opened?.submissionType ?? null,
      ];
      const next = remaining[remaining.indexOf(step) + 1];
      if (next === undefined) {
        const [ended] = await query<{ case_id: string | null }>(orm, endStatement(step), [...values, actor]);
        if (ended) return { kind: 'inserted', caseId: ended.case_id };
        await query(orm, completeStatement(step, null), values);
        return { kind: 'completed' };
      }
      const [row] = await query<StepRow>(orm, completeStatement(step, next), values);
      if (!row?.entered || row.done) return { kind: 'completed' };
      return { kind: 'next', step: next, submission: stepSubmission(row) };
    },
  };
}

interface StepRow extends StepFlags {
  id: number;
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
  attachments: StepAttachment[];
}

const OWNED = "(s.status = 'regulator_inserting' and s.job_id = $2)";

/**
 * Selects the data of a step, with only its own section: this runs six times for every product. The flag of a step is
 * the column of its name. The first step includes the submitter's details, if a package brought them.
 */
function needsOf(step: InsertStep, gone = '$3::bigint[]'): string {
  const submitter =
    step === SUBMITTER_STEP ? '(select details from submitter where id = s.submitter_row_id)' : 'null::jsonb';
  return `s.id, s.${step} as done, s.status, s.job_id, s.uuid, s.product_id, s.product_type_code,
          s.submission_type_code, s.case_id, s.sections -> '${step}' as section, ${submitter} as submitter,
          ${INSERT_STEPS.map((one) => `s.${one}`).join(', ')},
          ${attachmentsOf(step, gone)} as attachments`;
}

/**
 * Selects the attachments to send. The same file is sent once per submission; `gone` are the links that were just sent.
 */
function attachmentsOf(step: InsertStep, gone: string): string {
  return `(select coalesce(jsonb_agg(jsonb_build_object('linkId', a.id, 'attachmentId', f.attachment_id,
             'fileName', f.file_name, 'contentType', f.content_type, 'confidential', f.confidential,
             'sizeBytes', f.size_bytes, 'sha256', f.sha256, 'storageKey', f.storage_key) order by a.id), '[]')
             from submission_attachment a join attachment f on f.id = a.attachment_row_id
            where a.submission_id = s.id and a.step = '${step}' and not exists (
              select from submission_attachment o
               where o.submission_id = s.id and o.attachment_row_id = a.attachment_row_id
                 and (o.sent_at is not null or o.id = any(${gone}))))`;
}

const [FIRST_STEP] = INSERT_STEPS;

/** Addition to the move that begins a run at its first step: begins that step as well, and returns its data. */
export const FIRST_STEP_BEGUN: Required<Beside> = {
  set: `${PASS_ABSENT_SECTIONS}, current_step = '${FIRST_STEP}'`,
  returned: `(select to_jsonb(needs) from (select ${needsOf(FIRST_STEP, "'{}'::bigint[]")}) needs)`,
};

/** @param returned result of such a move */
export function firstStepOf(returned: unknown): BegunStep {
  return { step: FIRST_STEP, submission: stepSubmission(returned as StepRow) };
}

/** $1 submission, $2 run, $3 sent attachments: none. */
function enterStepStatement(step: InsertStep): string {
  // A repeated try writes nothing: a write would change the version that polling clients compare.
  return `with begun as (
            update submission set current_step = '${step}'
             where id = $1 and status = 'regulator_inserting' and job_id = $2
               and current_step is distinct from '${step}'
          )
          select ${OWNED} as entered, ${needsOf(step)} from submission s where s.id = $1`;
}

/**
 * $1 submission, $2 run, $3 links of sent attachments, $4 case, $5 submission date, $6 modified date, $7 submission
 * type.
 */
const ACCEPTED = `case_id = coalesce($4, s.case_id), updated_at = clock_timestamp(),
  regulator_submission_date = coalesce($5, s.regulator_submission_date),
  regulator_modified_date = coalesce($6, s.regulator_modified_date),
  regulator_submission_type = coalesce($7, s.regulator_submission_type)`;
const SENT = `sent as (
    update submission_attachment set sent_at = clock_timestamp() where id = any($3::bigint[])
  )`;

/** $1 submission, $2 case, $3 submission date, $4 modified date, $5 submission type. */
const RECORD_CASE = `update submission set case_id = $2, regulator_submission_date = $3,
  regulator_modified_date = $4, regulator_submission_type = $5, updated_at = clock_timestamp() where id = $1`;

function completeStatement(step: InsertStep, next: InsertStep | null): string {
  const begun =
    next === null ? '' : `, current_step = case when ${OWNED} then '${next}' else s.current_step end`;
  const returned = next === null ? OWNED : `${OWNED} as entered, ${needsOf(next)}`;
  return `with ${SENT}
          update submission s set ${step} = true, ${ACCEPTED}${begun} where s.id = $1
          returning ${returned}`;
}

/** Ends an insert with its audit entry, if the run owns the submission and no other step is left. $8 actor. */
function endStatement(step: InsertStep): string {
  const others = INSERT_STEPS.filter((one) => one !== step).map((one) => `s.${one}`);
  return `with ${SENT}, ended as (
            update submission s set ${step} = true, ${ACCEPTED}, status = 'regulator_inserted', failure_reason = null
             where s.id = $1 and ${OWNED} and ${others.join(' and ')}
             returning s.id, s.zip_import_id, s.job_id, s.case_id
          ), audited as (
            insert into audit_event (actor, action, import_id, submission_id, detail)
            select $8, 'submission.regulator_inserted', zip_import_id, id,
                   jsonb_build_object('from', 'regulator_inserting', 'job_id', job_id, 'reason', null) from ended
          )
          select case_id from ended`;
}

function stepSubmission(row: StepRow): StepSubmission {
  return {
    id: row.id,
    uuid: row.uuid,
    productId: row.product_id,
    productTypeCode: row.product_type_code,
    submissionTypeCode: row.submission_type_code,
    caseId: row.case_id,
    section: withSubmitter(row.section, row.submitter),
    attachments: row.attachments,
    remaining: remainingSteps(row),
  };
}

function withSubmitter(section: Json, details: Json | null): Json {
  const isObject = section !== null && typeof section === 'object' && !Array.isArray(section);
  return details !== null && isObject ? { ...section, SubmitterDetails: details } : section;
}
