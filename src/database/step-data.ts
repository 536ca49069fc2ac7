/** The data that a step of an insert needs. The same columns are read when a run, a step or the next step begins. */
import { sql } from 'kysely';
import type { InsertStep } from '../contract/steps.ts';
import type { AttachmentContent } from '../domain/product.ts';
import { LOCAL_STEP_BYTES, remainingSteps, type StepFlags, SUBMITTER_STEP } from '../domain/steps.ts';
import type { SubmissionRow } from './entities/submission.ts';
import type { Columns } from './statements.ts';
import { STEP_FLAGS } from './status-moves.ts';

type StepColumn = 'id' | 'uuid' | 'productId' | 'productTypeCode' | 'submissionTypeCode' | 'caseId';

export interface StepSubmission extends Columns<SubmissionRow, StepColumn> {
  /** The section as JSON text: it is sent as it is. Null if the step sends nothing, and beyond the loaded size. */
  section: string | null;
  /** Size of the section. 0 if the step sends nothing. */
  sectionBytes: number;
  /** Attachments of the section that we have and have not sent yet. */
  attachments: StepAttachment[];
  /** Remaining steps, this one first. */
  remaining: InsertStep[];
}

/** An attachment of a section. */
export interface StepAttachment extends AttachmentContent {
  linkId: number;
  storageKey: string;
}

/** A step that a statement has begun. */
export interface BegunStep {
  step: InsertStep;
  /** Data of the step. */
  submission: StepSubmission;
}

/** A row with the columns of `stepColumns`. */
export interface StepRow extends Columns<SubmissionRow, StepColumn | 'status' | 'jobId'> {
  /** The section, which is a JSON object, or its size in bytes if that is beyond the loaded size. Null for no section. */
  sectionOrBytes: string | null;
  attachments: StepAttachment[];
  flags: StepFlags;
}

/**
 * Columns of the submission `s` that a step needs, with only the step's own section: they are read six times for every
 * product. The same file is sent once per submission.
 *
 * @param justSent links of attachments that the same statement records as sent
 * @param maxBytes size up to which the section is loaded; by default that of a local step. One subquery reads the
 *   column once: it holds all sections, and PostgreSQL unpacks it at each use
 */
export function stepColumns(
  step: InsertStep,
  { justSent = [], maxBytes = LOCAL_STEP_BYTES }: { justSent?: readonly number[]; maxBytes?: number } = {},
) {
  return sql`
    s.id, s.uuid, s.product_id, s.product_type_code, s.submission_type_code, s.case_id, s.status, s.job_id,
    ${STEP_FLAGS} as flags,
    (select case when octet_length(content) <= ${maxBytes}::bigint then content
                 else octet_length(content)::text end
       from (select (${sectionOf(step)})::text as content offset 0) section) as section_or_bytes,
    (select coalesce(jsonb_agg(jsonb_build_object('linkId', link.id, 'attachmentId', file.attachment_id,
              'fileName', file.file_name, 'contentType', file.content_type, 'confidential', file.confidential,
              'sizeBytes', file.size_bytes, 'sha256', file.sha256, 'storageKey', file.storage_key)
              order by link.id), '[]')
       from submission_attachment link join attachment file on file.id = link.attachment_row_id
      where link.submission_id = s.id and link.step = ${step} and not exists (
        select from submission_attachment same
         where same.submission_id = s.id and same.attachment_row_id = link.attachment_row_id
           and (same.sent_at is not null or same.id = any(${justSent}::bigint[])))) as attachments`;
}

/** The section of a step. The submitter's details are added to the step that sends them, if a package brought them. */
function sectionOf(step: InsertStep) {
  const section = sql`nullif(s.sections -> ${step}::text, 'null')`;
  if (step !== SUBMITTER_STEP) return section;
  return sql`${section} || coalesce((
    select jsonb_build_object('SubmitterDetails', details) from submitter
     where id = s.submitter_row_id and details is not null), '{}')`;
}

export function stepSubmission(row: StepRow): StepSubmission {
  const { sectionOrBytes, flags, attachments } = row;
  const { id, uuid, productId, productTypeCode, submissionTypeCode, caseId } = row;
  const section = sectionOrBytes?.startsWith('{') ? sectionOrBytes : null;
  return {
    ...{ id, uuid, productId, productTypeCode, submissionTypeCode, caseId, attachments },
    section,
    sectionBytes: section === null ? Number(sectionOrBytes) : Buffer.byteLength(section),
    remaining: remainingSteps(flags),
  };
}
