/** Tables of an import. Programs rely on the columns: names and order are stable, and new columns come last. */

import { csvHeader, csvLines, type LineEnd } from '../../common/csv.ts';
import { reasonsText, reasonText } from '../../contract/reasons.ts';
import type { FileRow, ProductRow } from '../../contract/schemas/import-tables.ts';
import type { Reason } from '../../contract/types.ts';
import type { FileList, ReportedFile } from '../../database/reports/files.ts';
import type { ReportedSubmission } from '../../database/reports/submissions.ts';
import type { ImportSource } from '../reports/import-source.ts';

type Cell = string | number | null | readonly Reason[];

/** Rows that are converted to CSV at a time. */
const ROWS_AT_ONCE = 100;
const LISTS: readonly FileList[] = ['failed', 'skipped', 'unreadable'];

export async function* productRows({
  withWarnings,
}: Pick<ImportSource, 'withWarnings'>): AsyncGenerator<ProductRow> {
  for await (const { submission, warnings } of withWarnings()) yield productRow(submission, warnings);
}

export async function* fileRows({
  record,
  files,
}: Pick<ImportSource, 'record' | 'files'>): AsyncGenerator<FileRow> {
  for (const list of LISTS) for await (const file of files(list)) yield fileRow(record.id, list, file);
}

function productRow(submission: ReportedSubmission, warnings: Reason[]): ProductRow {
  const { failureReason, queueResult } = submission;
  return {
    import_id: submission.packageImport,
    submission_id: submission.id,
    uuid: submission.uuid,
    product_id: submission.productId,
    product_type: submission.productType,
    xml_file: submission.xmlFile,
    status: submission.status,
    case_id: submission.caseId,
    failure_reason: failureReason && reasonsText(failureReason),
    queue_status: queueResult?.status ?? null,
    queue_message: queueResult?.message ?? null,
    job_id: submission.jobId,
    submission_type: submission.regulatorSubmissionType,
    submission_date: submission.regulatorSubmissionDate,
    modified_date: submission.regulatorModifiedDate,
    warnings,
    created_at: submission.createdAt.toISOString(),
    updated_at: submission.updatedAt.toISOString(),
  };
}

function fileRow(importId: number, list: FileList, file: ReportedFile): FileRow {
  const { kind, entryPath, xmlFile, productId, reasons } = file;
  return {
    import_id: importId,
    kind,
    outcome: list,
    path: entryPath,
    xml_file: xmlFile,
    product_id: productId,
    reason: reasonsText(reasons),
  };
}

/** RFC 4180. */
export async function* csvOf<Row extends object>(
  columns: readonly string[],
  rows: AsyncIterable<Row>,
  lineEnd: LineEnd = 'windows',
): AsyncGenerator<string> {
  yield csvHeader(columns, lineEnd);
  let some: object[] = [];
  for await (const row of rows) {
    some.push(Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cellOf(cell)])));
    if (some.length < ROWS_AT_ONCE) continue;
    yield csvLines(columns, some, lineEnd);
    some = [];
  }
  yield csvLines(columns, some, lineEnd);
}

function cellOf(cell: Cell): string | number | null {
  return cell !== null && typeof cell === 'object' ? cell.map(reasonText).join('\n') : cell;
}

/** https://jsonlines.org */
export async function* jsonLinesOf<Row extends object>(
  _columns: readonly string[],
  rows: AsyncIterable<Row>,
): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}
