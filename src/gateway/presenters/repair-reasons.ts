/** What has to be mended in a package, and why: a table for people and their spreadsheets. */
import { stringify } from 'csv-stringify/sync';
import type { StoredReport } from '../../database/repositories/imports.ts';
import { actionsOf } from '../../domain/submission.ts';

export interface FileToRepair {
  path: string;
  xml_file: string;
  product_id: string;
  /** Empty when the file did not become a submission. */
  submission_id: number | '';
  outcome: string;
  reason: string;
}

/**
 * The product files that could not be read, that the regulator did not take, or that were not queued; in
 * archive order. Not those for whose product a newer submission has been queued.
 */
export function filesToRepair(stored: StoredReport, superseded: ReadonlySet<number>): FileToRepair[] {
  const unread = stored.files
    .filter(({ kind, outcome }) => kind === 'product' && outcome === 'failed')
    .map(({ entryIndex, entryPath, xmlFile, productId, outcome, reason }) => ({
      entryIndex,
      path: entryPath,
      xml_file: xmlFile,
      product_id: productId ?? '',
      submission_id: '' as const,
      outcome,
      reason,
    }));
  const queueMessages = new Map(stored.queueResults.map(({ submission, message }) => [submission, message]));
  const notInserted = stored.submissions
    .filter(({ id, status }) => actionsOf({ status, superseded: superseded.has(id) }).length > 0)
    .map(({ id, entryIndex, entryPath, xmlFile, productId, status, failureReason }) => ({
      entryIndex,
      path: entryPath,
      xml_file: xmlFile,
      product_id: productId,
      submission_id: id,
      outcome: status,
      reason: failureReason ?? queueMessages.get(id) ?? '',
    }));
  return [...unread, ...notInserted]
    .sort((a, b) => a.entryIndex - b.entryIndex)
    .map(({ entryIndex: _, ...file }) => file);
}

/** With a byte order mark, and formulas made harmless: it will be opened in a spreadsheet. */
export function reasonsCsv(files: readonly FileToRepair[]): string {
  return stringify([...files], {
    bom: true,
    header: true,
    columns: ['xml_file', 'product_id', 'submission_id', 'outcome', 'reason'],
    escape_formulas: true,
  });
}
