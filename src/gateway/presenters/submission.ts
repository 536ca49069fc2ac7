/** Answers list their fields (decision §answers): a field that is not named here is not sent. */

import { reasonsText } from '../../contract/reasons.ts';
import type { QueueResult, Submission } from '../../contract/schemas/submissions.ts';
import { INSERT_PROCESS, QUEUE_STATUS, SUBMISSION_SOURCE } from '../../contract/statuses.ts';
import type { QueueResultRow } from '../../database/entities/queue-result.ts';
import type { SubmissionRow } from '../../database/entities/submission.ts';
import type { ReportedSubmission } from '../../database/reports/submissions.ts';
import { isRunnable } from '../../domain/submission.ts';

/** The fields of a submission that answers show. */
export type ShownSubmission = Pick<
  SubmissionRow,
  Exclude<keyof ReportedSubmission, 'offersInsert' | 'hasWarnings' | 'queueResult'> | 'comment' | 'warnings'
>;

/** The current state of a submission. @param offersInsert whether an insert can be requested */
export function presentSubmission(row: ShownSubmission, offersInsert: boolean): Submission {
  const { status } = row;
  const caseId = row.caseId ?? null;
  return {
    id: row.id,
    uuid: row.uuid,
    case_id: caseId,
    product_id: row.productId,
    xml_file: row.xmlFile,
    zip_import_id: { id: row.packageImport, comment: row.comment ?? null },
    status,
    regulator_data: {
      // At creation the regulator knows nothing of the submission (interface §2.7).
      status: caseId === null ? 'local' : status,
      product_type: row.productType,
      submission_date: row.regulatorSubmissionDate ?? '',
      submission_comment: row.comment ?? '',
      submission_type: row.regulatorSubmissionType ?? '',
      modified_date: row.regulatorModifiedDate ?? '',
    },
    state: {
      extracted_data: true,
      init_validate: row.initValidate,
      product_details: row.productDetails,
      product_presentation: row.productPresentation,
      design: row.design,
      ingredients: row.ingredients,
      emission: row.emission,
    },
    source: SUBMISSION_SOURCE,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    // A list reads its rows a moment before it asks for their offers.
    actions: offersInsert && isRunnable(status) ? [INSERT_PROCESS] : [],
    warnings: row.warnings,
    failure_reason: row.failureReason ? reasonsText(row.failureReason) : null,
    reasons: row.failureReason ?? [],
    job_id: row.jobId ?? null,
  };
}

/**
 * A submission at the moment of queuing, for the answer to the upload (interface §3.1). The insert may have progressed
 * since then, but a repeated request must get the same answer.
 */
export function presentQueuedSubmission(
  row: ShownSubmission,
  result: Pick<QueueResultRow, 'status' | 'jobId' | 'createdAt'> | null,
): Submission {
  const queued = result?.status === QUEUE_STATUS.queued;
  return presentSubmission(
    {
      ...row,
      status: queued ? 'regulator_inserting' : 'local',
      caseId: null,
      regulatorSubmissionDate: null,
      regulatorModifiedDate: null,
      regulatorSubmissionType: null,
      initValidate: false,
      productDetails: false,
      productPresentation: false,
      design: false,
      ingredients: false,
      emission: false,
      updatedAt: result?.createdAt ?? row.createdAt,
      failureReason: null,
      jobId: queued ? (result.jobId ?? null) : null,
    },
    !queued,
  );
}

export function presentQueueResult(
  result: Omit<QueueResultRow, 'packageImport' | 'createdAt'>,
  comment: string | null,
): QueueResult {
  const { submission, status, message, jobId } = result;
  return {
    submission_id: submission,
    ok: status === QUEUE_STATUS.queued,
    status,
    message,
    data: queueData(),
  };

  function queueData(): QueueResult['data'] {
    if (!jobId) return {};
    if (status === QUEUE_STATUS.alreadyQueued)
      return { job_id: jobId, job_state: result.jobState ?? 'waiting' };
    return {
      job_id: jobId,
      run_process: INSERT_PROCESS,
      submission_id: submission,
      submission_comment: comment ?? '',
    };
  }
}
