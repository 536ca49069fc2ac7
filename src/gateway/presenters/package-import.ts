/** The import result (interface §2.4–2.7): the answer to the upload, and the current state. */
import { fileReasonText, NO_PRODUCTS, NOTES_REMOVED } from '../../contract/reasons.ts';
import type { ImportReport, ImportResult, ImportSummary } from '../../contract/schemas/package-imports.ts';
import {
  CANCEL_ACTION,
  type ImportAction,
  type ImportStatus,
  INSERT_PROCESS,
} from '../../contract/statuses.ts';
import type { Reason } from '../../contract/types.ts';
import type { NotificationRow, PackageImportRow } from '../../database/entities/package-import.ts';
import type { ReportedFile } from '../../database/reports/files.ts';
import type { ReportedSubmission } from '../../database/reports/submissions.ts';
import { UNLISTED_FILES } from '../../domain/notes.ts';
import { type ImportCounts, importCounts, sizeInMb } from '../../domain/package-import.ts';
import { noProducts, type ProductCounts, type StatusCounts } from '../../domain/submission.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import type { Streamed } from '../streams.ts';
import type { ImportSource } from './import-source.ts';
import { presentQueuedSubmission, presentQueueResult, presentSubmission } from './submission.ts';

/** The answer to the upload. It shows the moment of queuing, so that a repeated request gets the same answer. */
export function presentAnswer(source: ImportSource): Streamed<ImportResult> {
  const { notification } = source;
  return {
    ...presentCommon(source, 'queuing'),
    notification: notification ? { email: notification.email, status: 'pending' } : null,
  };
}

/** The current state of the import. */
export function presentReport(source: ImportSource): Streamed<ImportReport> {
  const { record, notification, counts } = source;
  return {
    ...presentCommon(source, 'now'),
    notification: notification && presentNotification(notification),
    ...presentState(record, counts),
  };
}

function presentNotification({ email, status, lastError }: NotificationRow) {
  return { email, status, error: lastError ?? null };
}

/** The import without its products, for lists and for polling. */
function presentSummary(
  record: PackageImportRow,
  { warned, refused, retried, ...counts }: ProductCounts,
  notification: NotificationRow | undefined,
): ImportSummary {
  return {
    id: record.id,
    client_id: record.clientId,
    file_name: record.fileName,
    comment: record.comment ?? null,
    zip_file: presentZipFile(record),
    warned,
    refused,
    read_at: record.readAt?.toISOString() ?? null,
    notification: notification ? presentNotification(notification) : null,
    retried,
    ...presentState(record, counts),
  };
}

/** Every list is streamed: an import may have 20,000 products. */
function presentCommon(
  source: ImportSource,
  moment: 'queuing' | 'now',
): Omit<Streamed<ImportResult>, 'notification'> {
  const { record, counts, fileCounts } = source;
  const comment = record.comment ?? null;
  const { created: submissions, failed, skipped } = importCounts(source.counts, source.fileCounts);
  return {
    id: record.id,
    comment,
    zip_file_path: record.zipFilePath,
    zip_file: presentZipFile(record),
    zip_import: {
      extracted_xml_files: submissions + failed + skipped,
      skipped_count: fileCounts.skipped,
      created_submissions: mapped(source.submissions(), ({ id, productId, productType, status }) => ({
        id,
        product_id: productId,
        product_type: productType,
        status: moment === 'queuing' ? 'local' : status,
      })),
      failed: mapped(source.files('failed'), ({ xmlFile, productId, reasons }) => ({
        xml_file: xmlFile,
        error: fileReasonText(productId, reasons),
        reasons,
      })),
      skipped: mapped(source.files('skipped'), ({ xmlFile, productId, reasons }) => ({
        xml_file: xmlFile,
        reason: fileReasonText(productId, reasons),
      })),
      warnings: unreadableWarnings(source.files('unreadable')),
    },
    queue: {
      queued_count: counts.queued,
      failed_count: counts.refused,
      results: queueResults(source.submissions(), comment),
    },
    submissions: mapped(source.withWarnings(), ({ submission, warnings }) => {
      const row = { ...submission, comment, warnings };
      if (moment === 'queuing') return presentQueuedSubmission(row, submission.queueResult);
      return presentSubmission(row, submission.offersInsert);
    }),
  };
}

async function* queueResults(submissions: AsyncIterable<ReportedSubmission>, comment: string | null) {
  for await (const { id, queueResult } of submissions)
    if (queueResult) yield presentQueueResult({ ...queueResult, submission: id }, comment);
}

async function* mapped<T, Shown>(items: AsyncIterable<T>, present: (item: T) => Shown) {
  for await (const item of items) yield present(item);
}

async function* unreadableWarnings(files: AsyncIterable<ReportedFile>): AsyncGenerator<Reason> {
  for await (const file of files) yield* presentUnreadable(file);
}

/** Warnings, not failures: such a file prevents no product from being imported. */
export function presentUnreadable({
  kind,
  xmlFile,
  reasons,
}: Pick<ReportedFile, 'kind' | 'xmlFile' | 'reasons'>): Reason[] {
  const about = kind === 'other' ? 'XML file' : `${kind} file ${xmlFile}:`;
  const subject = xmlFile === UNLISTED_FILES ? xmlFile : about;
  return reasons.map((reason) =>
    reason.text === NOTES_REMOVED ? reason : { ...reason, text: `${subject} ${reason.text}` },
  );
}

export function presentZipFile({
  uploadedAt,
  sizeBytes,
}: Pick<PackageImportRow, 'uploadedAt' | 'sizeBytes'>) {
  return { uploaded_at: uploadedAt.toISOString(), size_mb: sizeInMb(sizeBytes) };
}

function presentState(
  record: PackageImportRow,
  { progress, offersInsert }: Pick<ProductCounts, 'progress' | 'offersInsert'>,
) {
  const { status, failureReason, failureCode, completedAt, cancelledBy, cancelRequestedAt } = record;
  return {
    status,
    failure_reason: failureReason ?? null,
    failure_code: failureCode ?? null,
    completed_at: completedAt?.toISOString() ?? null,
    progress,
    actions: importActionsOf({ status, cancelRequested: cancelRequestedAt != null, progress, offersInsert }),
    cancellation: cancelRequestedAt
      ? { requested_by: cancelledBy ?? '', requested_at: cancelRequestedAt.toISOString() }
      : null,
  };
}

/** The message of an import in one of two forms (interface §2.3). Skipped files alone are not partial. */
export function importMessage({ created, skipped, failed, queued, queueFailed }: ImportCounts): string {
  const note = created + skipped + failed === 0 ? ` ${NO_PRODUCTS}` : '';
  if (failed === 0 && queueFailed === 0) return `Package ZIP imported and queued successfully.${note}`;
  return `Package ZIP processed with partial results. Added: ${created}, skipped: ${skipped}, failed: ${failed}, queued: ${queued}, queue_failed: ${queueFailed}.`;
}

/**
 * The actions that the import offers now. `cancel` is present while something of it can be cancelled: an import whose
 * products have all ended may wait long for its summary. `regulator-insert` is present while one of its products offers
 * it.
 */
export function importActionsOf(record: {
  status: ImportStatus;
  /** A cancellation was requested. */
  cancelRequested: boolean;
  progress: StatusCounts;
  /** One of its products offers an insert. */
  offersInsert: boolean;
}): ImportAction[] {
  const { status, cancelRequested, progress, offersInsert } = record;
  const isOpen = status === 'extracting' || status === 'inserting';
  const endsSoon = isOpen && cancelRequested;
  const isQueued = status !== 'extracting' && status !== 'failed';
  const isUnderWay = status === 'extracting' || (isOpen && progress.regulator_inserting > 0);
  return [
    ...(isUnderWay && !cancelRequested ? [CANCEL_ACTION] : []),
    ...(isQueued && !endsSoon && offersInsert ? [INSERT_PROCESS] : []),
  ] as ImportAction[];
}

/** A summary for each of `records`. */
export async function summariesOf(
  { submissions, notifications }: Pick<GatewayDependencies['database'], 'submissions' | 'notifications'>,
  records: readonly PackageImportRow[],
): Promise<(record: PackageImportRow) => ImportSummary> {
  const ids = records.map(({ id }) => id);
  const [counts, mails] = [await submissions.countByImport(ids), await notifications.ofImports(ids)];
  return (record) => presentSummary(record, counts.get(record.id) ?? noProducts(), mails.get(record.id));
}
