/**
 * Shortens a summary to a size that people read and mail servers accept. A table with all rows, up to a larger limit, is
 * attached.
 */

import { count } from '../../common/text.ts';
import type { MailAttachment } from './mailer.ts';
import {
  type Summary,
  type SummaryFile,
  type SummaryProduct,
  totalOf,
  WARNINGS_SHOWN,
} from './summary-parts.ts';
import { tableOf } from './table.ts';
import { nameLine, reasonLine } from './texts.ts';

/** Rows of products, and bytes of their texts. A byte may take six in the HTML, and a third more in transfer encoding. */
const PRODUCTS = { rows: 200, bytes: 32 * 1024 };
/** Limits of each list of files. */
const FILES = { rows: 50, bytes: 8 * 1024 };

export interface Shortened {
  /** The summary with the rows that the mail itself shows, each text as one line. */
  shown: Summary;
  /** Describes the omitted rows and their place; null if nothing is omitted. */
  leftOut: string | null;
  /** Null if nothing is omitted. */
  table: MailAttachment | null;
}

export function shortened(summary: Summary): Shortened {
  const shown: Summary = {
    ...summary,
    products: fitting(summary.products, PRODUCTS, productInLines, textsOfProduct),
    failedFiles: fitting(summary.failedFiles, FILES, fileInLines, textsOfFile),
    skippedFiles: fitting(summary.skippedFiles, FILES, fileInLines, textsOfFile),
    unreadableFiles: fitting(summary.unreadableFiles, FILES, fileInLines, textsOfFile),
  };
  const all = totalOf(summary.counts);
  const missing = all - rowsOf(shown);
  if (missing === 0) return { shown, leftOut: null, table: null };
  const { table, rows } = tableOf(summary);
  return {
    shown,
    leftOut: `${count(missing, 'more row')} would make this mail too long. ${
      rows === all
        ? `All ${all} rows are in the attached file ${table.fileName}.`
        : `The first ${rows} of ${all} rows are in the attached file ${table.fileName}. To get all rows: package-import status ${summary.importId} --json`
    }`,
    table,
  };
}

function rowsOf({ products, failedFiles, skippedFiles, unreadableFiles }: Summary): number {
  return products.length + failedFiles.length + skippedFiles.length + unreadableFiles.length;
}

/** The first items up to the limit, each text as one line. Only these are processed: there may be a hundred times as many. */
function fitting<T>(
  items: readonly T[],
  limit: { rows: number; bytes: number },
  inLines: (item: T) => T,
  textsOf: (item: T) => readonly (string | null)[],
): T[] {
  let bytes = 0;
  const first = items.slice(0, limit.rows).map(inLines);
  const fit = first.findIndex((item) => {
    bytes += Buffer.byteLength(textsOf(item).join());
    return bytes > limit.bytes;
  });
  return first.slice(0, fit === -1 ? limit.rows : fit);
}

function productInLines(product: SummaryProduct): SummaryProduct {
  const { productId, productType, caseId, reason, warnings } = product;
  return {
    ...product,
    productId: nameLine(productId),
    productType: nameLine(productType),
    caseId: caseId === null ? null : nameLine(caseId),
    reason: reason === null ? null : reasonLine(reason),
    warnings: warnings.map((warning, index) => (index < WARNINGS_SHOWN ? reasonLine(warning) : warning)),
  };
}

function textsOfProduct({ productId, productType, caseId, reason, warnings }: SummaryProduct) {
  return [productId, productType, caseId, reason, ...warnings.slice(0, WARNINGS_SHOWN)];
}

function textsOfFile({ xmlFile, reason }: SummaryFile) {
  return [xmlFile, reason];
}

function fileInLines({ xmlFile, reason }: SummaryFile): SummaryFile {
  return { xmlFile: nameLine(xmlFile), reason: reasonLine(reason) };
}
