/**
 * What the steps of a `regulator-insert` run read and write: one statement each, because they run six times for every
 * product. Completing a step begins the next one in the same statement, and the last one ends the insert.
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
  /** What goes with the section and has not gone yet, of what we have. */
  attachments: StepAttachment[];
  /** The steps that are left, this one first. */
  remaining: InsertStep[];
}

/** An attachment that goes with a section. */
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

/** What the regulator has answered to a step. */
export interface AcceptedStep {
  opened?: OpenCase;
  modifiedDate?: string;
  /** Links of the attachments that have gone with it. */
  sent?: number[];
}

/** A step that has begun with the statement before it. */
export interface BegunStep {
  step: InsertStep;
  /** What it needs. */
  submission: StepSubmission;
}

/** What came of a step that the regulator has accepted. */
export type CompletedStep =
  /** The next step has begun. */
  | ({ kind: 'next' } & BegunStep)
  /** It was the last one: the submission is inserted. */
  | { kind: 'inserted'; caseId: string | null }
  /** Another run has to go on, or this one has to look again. */
  | { kind: 'completed' };

export function createInsertStepRepository(orm: Orm) {
  return {
    /** Begins a step for the run that owns the submission; says so when another does, or nothing is to be done. */
    async enterStep(submissionId: number, step: InsertStep, runId: string): Promise<StepEntry> {
      const [row] = await query<StepRow>(orm, enterStepStatement(step), [submissionId, runId, []]);
      if (!row) throw new NotFound('Submission', submissionId);
      if (row.done || row.status === 'regulator_inserted') return { kind: 'done' };
      if (!row.entered) return { kind: 'not-owner', productId: row.product_id, jobId: row.job_id };
      return { kind: 'open', submission: stepSubmission(row) };
    },

    /** The regulator has opened the case, and the step that did so was not accepted. */
    async recordCase(submissionId: number, opened: OpenCase): Promise<void> {
      const { caseId, submissionDate, modifiedDate, submissionType } = opened;
      await query(orm, RECORD_CASE, [submissionId, caseId, submissionDate, modifiedDate, submissionType]);
    },

    /**
     * The regulator has accepted the step (or there was nothing to send): sets its flag, and in the same statement
     * begins the next step or ends the insert, where the run owns the submission.
     *
     * @param accepted the case, where this step has opened it, and the attachments that have gone with it
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
 * What a step needs, and of the sections only the one that is sent: this is asked six times for every product. The
 * flag of a step is the column of its name. The submitter's details go with the first step, where a package brought
 * them.
 */
function needsOf(step: InsertStep, gone = '$3::bigint[]'): string {
  const submitter =
    step === SUBMITTER_STEP ? '(select details from submitter where id = s.submitter_row_id)' : 'null::jsonb';
  return `s.id, s.${step} as done, s.status, s.job_id, s.uuid, s.product_id, s.product_type_code,
          s.submission_type_code, s.case_id, s.sections -> '${step}' as section, ${submitter} as submitter,
          ${INSERT_STEPS.map((one) => `s.${one}`).join(', ')},
          ${attachmentsOf(step, gone)} as attachments`;
}

/** The same file goes once per submission; `gone` are the links of what has just gone. */
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

/** Beside the move that begins a run from its start: the first step begins, too, and what it needs is returned. */
export const FIRST_STEP_BEGUN: Required<Beside> = {
  set: `${PASS_ABSENT_SECTIONS}, current_step = '${FIRST_STEP}'`,
  returned: `(select to_jsonb(needs) from (select ${needsOf(FIRST_STEP, "'{}'::bigint[]")}) needs)`,
};

/** @param returned by such a move */
export function firstStepOf(returned: unknown): BegunStep {
  return { step: FIRST_STEP, submission: stepSubmission(returned as StepRow) };
}

/** $1 submission, $2 run, $3 attachments that go: none. */
function enterStepStatement(step: InsertStep): string {
  // Not written again by a further try: whoever polls the import would take that for a change.
  return `with begun as (
            update submission set current_step = '${step}'
             where id = $1 and status = 'regulator_inserting' and job_id = $2
               and current_step is distinct from '${step}'
          )
          select ${OWNED} as entered, ${needsOf(step)} from submission s where s.id = $1`;
}

/** $1 submission, $2 run, $3 links of attachments that have gone, $4 case, $5 submission date, $6 modified date, $7 submission type. */
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

/** $8 actor. The end of an insert and its audit entry, where the run owns the submission and no other step is left. */
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
