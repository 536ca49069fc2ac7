/** All rows of a summary as a spreadsheet table, attached to the mail, up to a size. */
import { csvHeader, csvLines } from '../../common/csv.ts';
import { excerpt } from '../../common/text.ts';
import type { MailAttachment } from './mailer.ts';
import type { Summary, SummaryRow } from './summary-parts.ts';

/** Size of the table. */
const TABLE_BYTES = 256 * 1024;
/** Characters of one text. */
const TEXT_LENGTH = 500;
const COLUMNS = ['subject', 'type', 'outcome', 'case_id', 'submission_id', 'reason', 'warnings'];

/**
 * The first rows of a list that fit into a table. Further ones would not be shown.
 *
 * @param pages is not read beyond that
 */
export async function firstRows(pages: AsyncIterable<SummaryRow[]>): Promise<SummaryRow[]> {
  const first: SummaryRow[] = [];
  let bytes = 0;
  for await (const page of pages)
    for (const row of page) {
      first.push(row);
      bytes += Buffer.byteLength(lineOf(row));
      if (bytes > TABLE_BYTES) return first;
    }
  return first;
}

export function tableOf({ importId, rows }: Summary): { table: MailAttachment; rows: number } {
  const lines = [csvHeader(COLUMNS)];
  let bytes = Buffer.byteLength(lines[0] ?? '');
  for (const row of rows) {
    const line = lineOf(row);
    bytes += Buffer.byteLength(line);
    if (bytes > TABLE_BYTES) break;
    lines.push(line);
  }
  const fileName = `package-import-${importId}.csv`;
  const content = lines.join('');
  return { table: { fileName, contentType: 'text/csv; charset=utf-8', content }, rows: lines.length - 1 };
}

/** Each text as one short line. */
function lineOf({ outcome, subject, reason, product }: SummaryRow): string {
  const { productType: type, caseId: case_id, submissionId: submission_id, warnings } = product ?? {};
  const row = { subject, type, outcome, case_id, submission_id, reason, warnings: warnings?.join('\n') };
  const short = Object.entries(row).map(([name, value]) => [name, excerpt(`${value ?? ''}`, TEXT_LENGTH)]);
  return csvLines(COLUMNS, [Object.fromEntries(short)]);
}
