/** The table of a repair pack: the files to repair and the reasons, for people and spreadsheets. */

import { reasonsText } from '../../contract/reasons.ts';
import type { ReportedFile } from '../../database/reports/files.ts';
import type { ReportedSubmission } from '../../database/reports/submissions.ts';
import { actionsOf } from '../../domain/submission.ts';
import type { ImportSource } from '../reports/import-source.ts';
import { csvOf } from './import-tables.ts';

export interface FileToRepair {
  /** Position in the archive. */
  entryIndex: number;
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
 *
 * @param source with the submissions that have not been inserted
 */
export async function* filesToRepair(
  source: Pick<ImportSource, 'files' | 'submissions'>,
): AsyncGenerator<FileToRepair> {
  const submissions = source.submissions()[Symbol.asyncIterator]();
  let submission = await submissions.next();
  const isBefore = (entryIndex: number) => !submission.done && submission.value.entryIndex < entryIndex;
  async function* before(entryIndex: number) {
    for (; isBefore(entryIndex); submission = await submissions.next())
      if (actionsOf(submission.value).length > 0) yield notInserted(submission.value);
  }
  for await (const file of source.files('failed')) {
    yield* before(file.entryIndex);
    yield refused(file);
  }
  yield* before(Number.POSITIVE_INFINITY);
}

function refused({ entryIndex, entryPath, xmlFile, productId, reasons }: ReportedFile): FileToRepair {
  return {
    entryIndex,
    path: entryPath,
    xml_file: xmlFile,
    product_id: productId ?? '',
    submission_id: '',
    outcome: 'failed',
    reason: reasonsText(reasons),
  };
}

function notInserted(submission: ReportedSubmission): FileToRepair {
  const { failureReason, queueResult } = submission;
  return {
    entryIndex: submission.entryIndex,
    path: submission.entryPath,
    xml_file: submission.xmlFile,
    product_id: submission.productId,
    submission_id: submission.id,
    outcome: submission.status,
    reason: failureReason ? reasonsText(failureReason) : (queueResult?.message ?? ''),
  };
}

const COLUMNS = ['xml_file', 'product_id', 'submission_id', 'outcome', 'reason'];

export function reasonsCsv(files: AsyncIterable<FileToRepair>): AsyncGenerator<string> {
  return csvOf(COLUMNS, files, 'unix');
}
