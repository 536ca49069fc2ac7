/** All rows of a summary as a spreadsheet table, attached to the mail, up to a size. */
import { csvHeader, csvLines } from '../../common/csv.ts';
import { excerpt } from '../../common/text.ts';
import type { MailAttachment } from './mailer.ts';
import type { Summary, SummaryFile, SummaryProduct } from './summary-parts.ts';

/** Size of the table. */
const TABLE_BYTES = 256 * 1024;
/** Characters of one text. */
const TEXT_LENGTH = 500;
const COLUMNS = ['subject', 'type', 'outcome', 'case_id', 'submission_id', 'reason', 'warnings'];

type FileOutcome = 'refused' | 'unreadable' | 'skipped';

/**
 * The first products, or files, that fit into a table. Further ones would not be shown.
 *
 * @param pages is not read beyond that
 */
export async function firstProducts(pages: AsyncIterable<SummaryProduct[]>): Promise<SummaryProduct[]> {
  return firstOf(pages, lineOfProduct);
}

/** Like `firstProducts`. */
export async function firstFiles(
  outcome: FileOutcome,
  pages: AsyncIterable<SummaryFile[]>,
): Promise<SummaryFile[]> {
  return firstOf(pages, (file) => lineOfFile(outcome, file));
}

async function firstOf<T>(pages: AsyncIterable<T[]>, lineOf: (item: T) => string): Promise<T[]> {
  const first: T[] = [];
  let bytes = 0;
  for await (const page of pages)
    for (const item of page) {
      first.push(item);
      bytes += Buffer.byteLength(lineOf(item));
      if (bytes > TABLE_BYTES) return first;
    }
  return first;
}

export function tableOf({ importId, products, failedFiles, skippedFiles, unreadableFiles }: Summary): {
  table: MailAttachment;
  rows: number;
} {
  const lines = [csvHeader(COLUMNS)];
  let bytes = Buffer.byteLength(lines[0] ?? '');
  for (const line of linesOf()) {
    bytes += Buffer.byteLength(line);
    if (bytes > TABLE_BYTES) break;
    lines.push(line);
  }
  const fileName = `package-import-${importId}.csv`;
  const content = lines.join('');
  return { table: { fileName, contentType: 'text/csv; charset=utf-8', content }, rows: lines.length - 1 };

  function* linesOf(): Generator<string> {
    for (const file of failedFiles) yield lineOfFile('refused', file);
    for (const product of products) yield lineOfProduct(product);
    for (const file of unreadableFiles) yield lineOfFile('unreadable', file);
    for (const file of skippedFiles) yield lineOfFile('skipped', file);
  }
}

function lineOfProduct(product: SummaryProduct): string {
  const { productId, productType, outcome, caseId, submissionId, reason, warnings } = product;
  return lineOf({
    subject: productId,
    type: productType,
    outcome,
    case_id: caseId ?? '',
    submission_id: String(submissionId),
    reason: reason ?? '',
    warnings: warnings.join('\n'),
  });
}

function lineOfFile(outcome: FileOutcome, { xmlFile, reason }: SummaryFile): string {
  return lineOf({ subject: xmlFile, outcome, reason });
}

/** Each text as one short line. */
function lineOf(row: Readonly<Record<string, string>>): string {
  const short = Object.entries(row).map(([name, text]) => [name, excerpt(text, TEXT_LENGTH)]);
  return csvLines(COLUMNS, [Object.fromEntries(short)]);
}
