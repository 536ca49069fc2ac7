/**
 * Rows of the summary, and how many of them a mail takes (decision §mails): the first ones in the mail itself, and
 * more, up to a larger size, in an attached table.
 */
import { csvHeader, csvLines } from '../../common/csv.ts';
import { count, excerpt } from '../../common/text.ts';
import type { MailAttachment } from './mailer.ts';
import { nameLine, reasonLine } from './texts.ts';

/** Display order: outcomes that need action come first. */
export const MAILED_PRODUCT_OUTCOMES = ['failed', 'unfinished', 'not queued', 'inserted'] as const;
export type MailedProductOutcome = (typeof MAILED_PRODUCT_OUTCOMES)[number];

/** Outcomes of files that became no product. `unreadable` files are attachments and submitter files. */
export const FILE_OUTCOMES = ['refused', 'unreadable', 'skipped'] as const;
export type MailedFileOutcome = (typeof FILE_OUTCOMES)[number];

export type MailedOutcome = MailedProductOutcome | MailedFileOutcome;

/** A product, or a file that became none. */
export interface SummaryRow {
  outcome: MailedOutcome;
  /** Product ID or name of the file. */
  subject: string;
  /** Why it failed, was not queued or not read, and what to do. */
  reason: string | null;
  /** Absent for a file. */
  product?: SummaryProduct;
}

export interface SummaryProduct {
  submissionId: number;
  productType: string;
  caseId: string | null;
  warnings: string[];
}

/**
 * Rows of products in the mail, and bytes of their texts. A byte may take six in the HTML, and a third more in transfer
 * encoding.
 */
const PRODUCTS = { rows: 200, bytes: 32 * 1024 };
/** Limits of each list of files. */
const FILES = { rows: 50, bytes: 8 * 1024 };
/** Warnings shown per product. The mail gives the number of further ones. */
const WARNINGS_SHOWN = 5;

export interface Shortened {
  /** The rows that the mail itself shows, each text as one line. */
  shown: SummaryRow[];
  /** Describes the omitted rows and their place; null if nothing is omitted. */
  leftOut: string | null;
  /** Null if nothing is omitted. */
  table: MailAttachment | null;
}

/** @param all number of rows, of which `rows` may be the first only */
export function shortened(importId: number, rows: readonly SummaryRow[], all: number): Shortened {
  const shown = fitting(
    rows.filter(({ product }) => product),
    PRODUCTS,
  );
  for (const outcome of FILE_OUTCOMES)
    shown.push(
      ...fitting(
        rows.filter((row) => row.outcome === outcome),
        FILES,
      ),
    );
  const missing = all - shown.length;
  if (missing === 0) return { shown, leftOut: null, table: null };
  const fileName = `package-import-${importId}.csv`;
  const header = csvHeader(COLUMNS);
  const lines = upTo(TABLE_BYTES - Buffer.byteLength(header), rows.values().map(lineOf), Buffer.byteLength);
  const table = { fileName, contentType: 'text/csv; charset=utf-8', content: header + lines.join('') };
  const place =
    lines.length === all
      ? `All ${all} rows are in the attached file ${fileName}.`
      : `The first ${lines.length} of ${all} rows are in the attached file ${fileName}. To get all rows: package-import status ${importId} --json`;
  return { shown, leftOut: `${count(missing, 'more row')} would make this mail too long. ${place}`, table };
}

/**
 * The first rows up to the limit, each text as one line. Only these are processed: there may be a hundred times as
 * many.
 */
function fitting(rows: readonly SummaryRow[], limit: { rows: number; bytes: number }): SummaryRow[] {
  return upTo(limit.bytes, rows.slice(0, limit.rows).map(inLines), ({ subject, reason, product }) =>
    Buffer.byteLength(
      [subject, reason, product?.productType, product?.caseId, ...(product?.warnings ?? [])].join(),
    ),
  );
}

/** The first items up to a size in bytes. */
function upTo<Item>(maxBytes: number, items: Iterable<Item>, bytesOf: (item: Item) => number): Item[] {
  const first: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += bytesOf(item);
    if (bytes > maxBytes) break;
    first.push(item);
  }
  return first;
}

/** The row with each text as one line, the first warnings, and the number of further ones. */
function inLines({ outcome, subject, reason, product }: SummaryRow): SummaryRow {
  const row = { outcome, subject: nameLine(subject), reason: reason && reasonLine(reason) };
  if (!product) return row;
  const { submissionId, productType, caseId, warnings } = product;
  const shown = warnings.slice(0, WARNINGS_SHOWN).map(reasonLine);
  const more = warnings.length - shown.length;
  if (more > 0) shown.push(`… and ${count(more, 'more warning')}`);
  const lines = { productType: nameLine(productType), caseId: caseId && nameLine(caseId), warnings: shown };
  return { ...row, product: { submissionId, ...lines } };
}

/** Size of the table. */
const TABLE_BYTES = 256 * 1024;
/** Characters of one text of the table. */
const TEXT_LENGTH = 500;
const COLUMNS = ['subject', 'type', 'outcome', 'case_id', 'submission_id', 'reason', 'warnings'];

/** A line of the table, each text as one short line. */
function lineOf({ outcome, subject, reason, product }: SummaryRow): string {
  const { productType: type, caseId: case_id, submissionId: submission_id, warnings } = product ?? {};
  const row = { subject, type, outcome, case_id, submission_id, reason, warnings: warnings?.join('\n') };
  const short = Object.entries(row).map(([name, value]) => [name, excerpt(`${value ?? ''}`, TEXT_LENGTH)]);
  return csvLines(COLUMNS, [Object.fromEntries(short)]);
}

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
