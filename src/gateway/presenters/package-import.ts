/** The import result (interface §2.4–2.7): as it was answered, and as it stands now. */
import type { NotificationRow } from '../../database/entities/notification.ts';
import type { PackageImportRow } from '../../database/entities/package-import.ts';
import type { SubmissionRow } from '../../database/entities/submission.ts';
import type { StoredReport } from '../../database/repositories/imports.ts';
import { UNLISTED_FILES } from '../../domain/notes.ts';
import type { UnreadableFile } from '../../domain/package-check.ts';
import { type ImportCounts, sizeInMb } from '../../domain/package-import.ts';
import { QUEUE_STATUS } from '../../domain/queue.ts';
import { countStatuses, type StatusCounts } from '../../domain/submission.ts';
import type { ImportReportJson, ImportResultJson, ImportSummaryJson } from '../schemas/package-import.ts';
import type { SubmissionJson } from '../schemas/submission.ts';
import { presentQueuedSubmission, presentQueueResult, presentSubmission } from './submission.ts';

/** The answer to the upload. The same whenever it is asked for: it shows the moment of queuing. */
export function presentAnswer(record: PackageImportRow, stored: StoredReport): ImportResultJson {
  const results = new Map(stored.queueResults.map((result) => [result.submission, result]));
  const { notification } = stored;
  return {
    ...presentCommon(record, stored, 'local', (row) => presentQueuedSubmission(row, results.get(row.id))),
    notification: notification ? { email: notification.email, status: 'pending' } : null,
  };
}

/** The import as it stands now. */
export function presentReport(
  record: PackageImportRow,
  stored: StoredReport,
  superseded: ReadonlySet<number>,
): ImportReportJson {
  return {
    ...presentCommon(record, stored, 'current', (row) => presentSubmission(row, superseded.has(row.id))),
    notification: stored.notification && presentNotification(stored.notification),
    ...presentState(record, countStatuses(stored.submissions)),
  };
}

function presentNotification({ email, status, lastError }: NotificationRow) {
  return { email, status, error: lastError ?? null };
}

/** The import without its products: what lists show, and what is polled. */
export function presentSummary(record: PackageImportRow, progress: StatusCounts): ImportSummaryJson {
  return {
    id: record.id,
    comment: record.comment ?? null,
    zip_file: presentZipFile(record),
    ...presentState(record, progress),
  };
}

function presentCommon(
  record: PackageImportRow,
  { submissions, files, queueResults }: StoredReport,
  created: 'local' | 'current',
  present: (row: SubmissionRow) => SubmissionJson,
): Omit<ImportResultJson, 'notification'> {
  const comment = record.comment ?? null;
  const products = files.filter(({ kind }) => kind === 'product');
  const failed = products.filter(({ outcome }) => outcome === 'failed');
  const skipped = products.filter(({ outcome }) => outcome === 'skipped');
  const unreadable = files.filter(({ kind }) => kind !== 'product');
  const results = new Map(queueResults.map((result) => [result.submission, result]));
  const queued = queueResults.filter(({ status }) => status === QUEUE_STATUS.queued).length;
  return {
    id: record.id,
    comment,
    zip_file_path: record.zipFilePath,
    zip_file: presentZipFile(record),
    zip_import: {
      extracted_xml_files: submissions.length + products.length,
      skipped_count: skipped.length,
      created_submissions: submissions.map(({ id, productId, productType, status }) => ({
        id,
        product_id: productId,
        product_type: productType,
        status: created === 'local' ? 'local' : status,
      })),
      failed: failed.map(({ xmlFile, reason }) => ({ xml_file: xmlFile, error: reason })),
      skipped: skipped.map(({ xmlFile, reason }) => ({ xml_file: xmlFile, reason })),
      warnings: unreadable.map(presentUnreadable),
    },
    queue: {
      queued_count: queued,
      failed_count: queueResults.length - queued,
      results: submissions.flatMap(({ id }) => {
        const result = results.get(id);
        return result ? [presentQueueResult(result, comment)] : [];
      }),
    },
    submissions: submissions.map(present),
  };
}

/** As a warning: it keeps no product from being imported. */
export function presentUnreadable({ kind, xmlFile, reason }: Record<keyof UnreadableFile, string>): string {
  if (xmlFile === UNLISTED_FILES) return `${xmlFile} ${reason}`;
  return `${kind} file ${xmlFile}: ${reason}`;
}

export function presentZipFile({
  uploadedAt,
  sizeBytes,
}: Pick<PackageImportRow, 'uploadedAt' | 'sizeBytes'>) {
  return { uploaded_at: uploadedAt.toISOString(), size_mb: sizeInMb(sizeBytes) };
}

function presentState({ status, failureReason, completedAt }: PackageImportRow, progress: StatusCounts) {
  return {
    status,
    failure_reason: failureReason ?? null,
    completed_at: completedAt?.toISOString() ?? null,
    progress,
  };
}

/** Both message forms of a successful import (interface §2.3). Skips alone are not partial. */
export function importMessage({ created, skipped, failed, queued, queueFailed }: ImportCounts): string {
  if (failed === 0 && queueFailed === 0) return 'Package ZIP imported and queued successfully.';
  return `Package ZIP processed with partial results. Added: ${created}, skipped: ${skipped}, failed: ${failed}, queued: ${queued}, queue_failed: ${queueFailed}.`;
}

/** The counts of an answer. */
export function countsOfAnswer({ zip_import, queue }: ImportResultJson): ImportCounts {
  return {
    created: zip_import.created_submissions.length,
    skipped: zip_import.skipped_count,
    failed: zip_import.failed.length,
    queued: queue.queued_count,
    queueFailed: queue.failed_count,
  };
}
