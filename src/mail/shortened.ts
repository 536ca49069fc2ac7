/**
 * What of a summary stands in the mail itself: as much as people read and mail servers take. All of it, as far as that
 * is not too much either, goes along as a table.
 */
import { stringify } from 'csv-stringify/sync';
import { count, excerpt } from '../domain/text.ts';
import type { ProductOutcome, Summary, SummaryFile, SummaryProduct } from './summary-data.ts';

/** Rows of products, and bytes of their texts. In the HTML a byte may take six, and on its way a third more. */
const PRODUCTS = { rows: 200, bytes: 32 * 1024 };
/** Of each list of files. */
const FILES = { rows: 50, bytes: 8 * 1024 };
/** Of one product; how many more there are is said. */
export const WARNINGS_SHOWN = 5;
/** Characters of one reason or warning. */
const NOTE_LENGTH = 500;
/** Of the table. */
const TABLE_BYTES = 256 * 1024;

/** What somebody has to do something about comes first. */
const ORDER: readonly ProductOutcome[] = ['failed', 'unfinished', 'not queued', 'inserted'];

export interface Table {
  fileName: string;
  contentType: string;
  content: string;
}

export interface Shortened {
  /** The summary with as many rows as stand in the mail. */
  shown: Summary;
  /** What is left out, and where it is; null where nothing is. */
  leftOut: string | null;
  /** Null where nothing is left out. */
  table: Table | null;
}

interface Row {
  subject: string;
  type: string;
  outcome: string;
  case_id: string;
  submission_id: number | '';
  reason: string;
  warnings: string;
}

export function shortened(summary: Summary): Shortened {
  const products = [...summary.products].sort((a, b) => rank(a) - rank(b));
  const whole = { ...summary, products };
  const shown: Summary = {
    ...whole,
    products: fitting(products.map(withShortNotes), PRODUCTS, textsOfProduct),
    failedFiles: fitting(summary.failedFiles.map(withShortReason), FILES, textsOfFile),
    skippedFiles: fitting(summary.skippedFiles.map(withShortReason), FILES, textsOfFile),
    unreadableFiles: fitting(summary.unreadableFiles.map(withShortReason), FILES, textsOfFile),
  };
  const missing = rowsOf(whole).length - rowsOf(shown).length;
  if (missing === 0) return { shown, leftOut: null, table: null };
  const { csv, rows, all } = tableOf(rowsOf(whole));
  const fileName = `package-import-${summary.importId}.csv`;
  return {
    shown,
    leftOut: `${count(missing, 'more row')} would be too many for a mail. ${
      rows === all
        ? `All ${all} are in ${fileName}, attached.`
        : `The first ${rows} of ${all} are in ${fileName}, attached; GET /regulator/package-imports/${summary.importId} has them all.`
    }`,
    table: { fileName, contentType: 'text/csv; charset=utf-8', content: csv },
  };
}

function rank({ outcome, warnings }: SummaryProduct): number {
  return ORDER.indexOf(outcome) * 2 + (warnings.length > 0 ? 0 : 1);
}

/** As many of the first items as the limit allows. */
function fitting<T>(
  items: readonly T[],
  limit: { rows: number; bytes: number },
  textsOf: (item: T) => readonly (string | null)[],
): T[] {
  let bytes = 0;
  const fit = items.slice(0, limit.rows).findIndex((item) => {
    bytes += Buffer.byteLength(textsOf(item).join());
    return bytes > limit.bytes;
  });
  return items.slice(0, fit === -1 ? limit.rows : fit);
}

function withShortNotes(product: SummaryProduct): SummaryProduct {
  const { reason, warnings } = product;
  return {
    ...product,
    reason: reason === null ? null : short(reason),
    warnings: warnings.map((warning, index) => (index < WARNINGS_SHOWN ? short(warning) : warning)),
  };
}

function textsOfProduct({ productId, productType, caseId, reason, warnings }: SummaryProduct) {
  return [productId, productType, caseId, reason, ...warnings.slice(0, WARNINGS_SHOWN)];
}

function textsOfFile({ xmlFile, reason }: SummaryFile) {
  return [xmlFile, reason];
}

function withShortReason({ xmlFile, reason }: SummaryFile): SummaryFile {
  return { xmlFile: short(xmlFile), reason: short(reason) };
}

function short(text: string): string {
  return text.length > NOTE_LENGTH ? excerpt(text, NOTE_LENGTH) : text;
}

function rowsOf({ products, failedFiles, skippedFiles, unreadableFiles }: Summary): Row[] {
  const ofFiles = (outcome: string, files: readonly SummaryFile[]) =>
    files.map(({ xmlFile, reason }) => ({ ...NO_PRODUCT, subject: xmlFile, outcome, reason }));
  return [
    ...ofFiles('refused', failedFiles),
    ...products.map(({ productId, productType, outcome, caseId, submissionId, reason, warnings }) => ({
      subject: productId,
      type: productType,
      outcome,
      case_id: caseId ?? '',
      submission_id: submissionId,
      reason: reason ?? '',
      warnings: warnings.join('\n'),
    })),
    ...ofFiles('unreadable', unreadableFiles),
    ...ofFiles('skipped', skippedFiles),
  ];
}

const NO_PRODUCT = { type: '', case_id: '', submission_id: '', warnings: '' } as const;

/** Short as well. */
function inSingleLines(row: Row): Row {
  const { subject, type, case_id, reason, warnings } = row;
  const line = (text: string) => excerpt(text, NOTE_LENGTH);
  return {
    ...row,
    ...{ subject: line(subject), type: line(type), case_id: line(case_id) },
    ...{ reason: line(reason), warnings: line(warnings) },
  };
}

/** With a byte order mark, and formulas made harmless: it will be opened in a spreadsheet. */
function tableOf(all: readonly Row[]): { csv: string; rows: number; all: number } {
  const columns = ['subject', 'type', 'outcome', 'case_id', 'submission_id', 'reason', 'warnings'];
  const lines = [stringify([], { bom: true, header: true, columns })];
  let bytes = Buffer.byteLength(lines[0] ?? '');
  for (const row of all) {
    const line = stringify([inSingleLines(row)], { columns, escape_formulas: true });
    bytes += Buffer.byteLength(line);
    if (bytes > TABLE_BYTES) break;
    lines.push(line);
  }
  return { csv: lines.join(''), rows: lines.length - 1, all: all.length };
}
