/** The table of a repair pack: the files to repair and the reasons, for people and spreadsheets. */

import { csvHeader, csvLines } from '../../common/csv.ts';
import type { ImportMoment } from '../../database/repositories/reports.ts';
import { actionsOf, statusesBefore } from '../../domain/submission.ts';

export interface FileToRepair {
  path: string;
  xml_file: string;
  product_id: string;
  /** Empty if the file did not become a submission. */
  submission_id: number | '';
  outcome: string;
  reason: string;
}

/**
 * The product files that could not be read, were rejected by the regulator or were not queued, in archive order.
 * Superseded submissions are left out.
 */
export async function filesToRepair(
  moment: Pick<ImportMoment, 'files' | 'submissions'>,
): Promise<FileToRepair[]> {
  const found: (FileToRepair & { entryIndex: number })[] = [];
  for await (const page of moment.files('failed'))
    for (const { entryIndex, entryPath, xmlFile, productId, reason } of page)
      found.push({
        entryIndex,
        path: entryPath,
        xml_file: xmlFile,
        product_id: productId ?? '',
        submission_id: '',
        outcome: 'failed',
        reason,
      });
  for await (const page of moment.submissions({ statuses: statusesBefore('regulator_inserting') }))
    for (const submission of page)
      if (actionsOf(submission).length > 0)
        found.push({
          entryIndex: submission.entryIndex,
          path: submission.entryPath,
          xml_file: submission.xmlFile,
          product_id: submission.productId,
          submission_id: submission.id,
          outcome: submission.status,
          reason: submission.failureReason ?? submission.queueResult?.message ?? '',
        });
  return found.sort((a, b) => a.entryIndex - b.entryIndex).map(({ entryIndex: _, ...file }) => file);
}

const COLUMNS = ['xml_file', 'product_id', 'submission_id', 'outcome', 'reason'];

export function reasonsCsv(files: readonly FileToRepair[]): string {
  return csvHeader(COLUMNS) + csvLines(COLUMNS, files);
}
