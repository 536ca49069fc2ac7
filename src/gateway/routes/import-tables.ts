/** The result of an import as tables: CSV for spreadsheets, JSON Lines for programs. */

import { reasonsText } from '../../contract/reasons.ts';
import {
  FILE_COLUMNS,
  type FileRow,
  getImportFilesCsv,
  getImportFilesJsonLines,
  getImportProductsCsv,
  getImportProductsJsonLines,
  PRODUCT_COLUMNS,
  type ProductRow,
} from '../../contract/schemas/import-tables.ts';
import type { Reason } from '../../contract/types.ts';
import type { FileList, ReportedFile } from '../../database/reports/files.ts';
import type { ReportedSubmission } from '../../database/reports/submissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { findImport } from '../ownership.ts';
import { type ImportSource, queuedImport, snapshotOf } from '../presenters/import-source.ts';
import type { ReadBudget } from '../quotas/read-budgets.ts';
import { defineRoute } from '../route.ts';
import { csvOf, textStream } from '../streams.ts';

type Rows = (budget: ReadBudget, importId: number) => Promise<AsyncIterable<ProductRow | FileRow>>;
type Operation =
  | (typeof getImportProductsCsv | typeof getImportProductsJsonLines)
  | (typeof getImportFilesCsv | typeof getImportFilesJsonLines);

export function importTableRoutes({ database, readAudit }: GatewayDependencies) {
  const { reports } = database;
  const products: Rows = async (budget, importId) => productRows(await snapshotOf(reports, budget, importId));
  // Files never change, so no snapshot is needed.
  const files: Rows = async (_budget, importId) => fileRows(await queuedImport(reports, importId));

  const table = (name: string, operation: Operation, rows: Rows, write: typeof jsonLinesOf) =>
    defineRoute({
      ...operation,
      async handle({ caller, params: { id }, budget }) {
        const record = await findImport(database, caller, id);
        await readAudit.note(caller, record.tenant, { action: 'import.read', importId: id });
        return {
          stream: textStream(write(await rows(budget, id))),
          fileName: `package-import-${id}-${name}`,
        };
      },
    });

  return [
    table('products.csv', getImportProductsCsv, products, (rows) => csvOf(PRODUCT_COLUMNS, rows)),
    table('products.jsonl', getImportProductsJsonLines, products, jsonLinesOf),
    table('files.csv', getImportFilesCsv, files, (rows) => csvOf(FILE_COLUMNS, rows)),
    table('files.jsonl', getImportFilesJsonLines, files, jsonLinesOf),
  ];
}

const LISTS: readonly FileList[] = ['failed', 'skipped', 'unreadable'];

async function* productRows({
  withWarnings,
}: Pick<ImportSource, 'withWarnings'>): AsyncGenerator<ProductRow> {
  for await (const { submission, warnings } of withWarnings()) yield productRow(submission, warnings);
}

async function* fileRows({ record, files }: Pick<ImportSource, 'record' | 'files'>): AsyncGenerator<FileRow> {
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

/** https://jsonlines.org */
async function* jsonLinesOf(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}
