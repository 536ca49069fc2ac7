/**
 * Shortens a summary to a size that people read and mail servers accept. A table with all rows, up to a larger limit, is
 * attached.
 */

import { count } from '../../common/text.ts';
import type { MailAttachment } from './mailer.ts';
import { FILE_OUTCOMES, type Summary, type SummaryRow, totalOf, WARNINGS_SHOWN } from './summary-parts.ts';
import { tableOf } from './table.ts';
import { nameLine, reasonLine } from './texts.ts';

/** Rows of products, and bytes of their texts. A byte may take six in the HTML, and a third more in transfer encoding. */
const PRODUCTS = { rows: 200, bytes: 32 * 1024 };
/** Limits of each list of files. */
const FILES = { rows: 50, bytes: 8 * 1024 };

export interface Shortened {
  /** The rows that the mail itself shows, each text as one line. */
  shown: SummaryRow[];
  /** Describes the omitted rows and their place; null if nothing is omitted. */
  leftOut: string | null;
  /** Null if nothing is omitted. */
  table: MailAttachment | null;
}

export function shortened(summary: Summary): Shortened {
  const { rows } = summary;
  const shown = [
    ...fitting(
      rows.filter(({ product }) => product),
      PRODUCTS,
    ),
    ...FILE_OUTCOMES.flatMap((outcome) =>
      fitting(
        rows.filter((row) => row.outcome === outcome),
        FILES,
      ),
    ),
  ];
  const all = totalOf(summary.counts);
  const missing = all - shown.length;
  if (missing === 0) return { shown, leftOut: null, table: null };
  const { table, rows: inTable } = tableOf(summary);
  return {
    shown,
    leftOut: `${count(missing, 'more row')} would make this mail too long. ${
      inTable === all
        ? `All ${all} rows are in the attached file ${table.fileName}.`
        : `The first ${inTable} of ${all} rows are in the attached file ${table.fileName}. To get all rows: package-import status ${summary.importId} --json`
    }`,
    table,
  };
}

/** The first rows up to the limit, each text as one line. Only these are processed: there may be a hundred times as many. */
function fitting(rows: readonly SummaryRow[], limit: { rows: number; bytes: number }): SummaryRow[] {
  let bytes = 0;
  const first = rows.slice(0, limit.rows).map(inLines);
  const fit = first.findIndex((row) => {
    bytes += Buffer.byteLength(textsOf(row).join());
    return bytes > limit.bytes;
  });
  return first.slice(0, fit === -1 ? limit.rows : fit);
}

function inLines({ outcome, subject, reason, product }: SummaryRow): SummaryRow {
  const row = { outcome, subject: nameLine(subject), reason: reason === null ? null : reasonLine(reason) };
  if (!product) return row;
  const { submissionId, productType, caseId, warnings } = product;
  return {
    ...row,
    product: {
      submissionId,
      productType: nameLine(productType),
      caseId: caseId === null ? null : nameLine(caseId),
      warnings: warnings.map((warning, index) => (index < WARNINGS_SHOWN ? reasonLine(warning) : warning)),
    },
  };
}

function textsOf({ subject, reason, product }: SummaryRow): (string | null | undefined)[] {
  const { productType, caseId, warnings = [] } = product ?? {};
  return [subject, reason, productType, caseId, ...warnings.slice(0, WARNINGS_SHOWN)];
}
