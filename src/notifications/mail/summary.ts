/** The summary e-mail (interface §6): failures first, with the actions that resolve them. Pure: data in, mail out. */

import type { MailAttachment, MailContent } from './mailer.ts';
import { shortened } from './shortened.ts';
import { summaryHtml, summaryText } from './summary-body.ts';
import {
  type Summary,
  type SummaryFile,
  type SummaryProduct,
  subjectOf,
  WARNINGS_SHOWN,
} from './summary-parts.ts';
import { commentLine, type Link, nameLine, reasonLine } from './texts.ts';

export {
  hasRepairPack,
  PRODUCT_OUTCOMES,
  type ProductOutcome,
  type Summary,
  type SummaryCounts,
  type SummaryFile,
  type SummaryProduct,
} from './summary-parts.ts';
export { firstFiles, firstProducts } from './table.ts';

/** The mail stays below 1 MB for any number of products. */
export function renderSummary(
  received: Summary,
  links: readonly Link[] = [],
): MailContent & { attachments: MailAttachment[] } {
  const summary = headInSingleLines(received);
  const all = shortened(summary);
  // Only the shown rows are processed: there may be a hundred times as many.
  const short = { ...all, shown: inSingleLines(all.shown) };
  return {
    subject: subjectOf(summary),
    text: summaryText(summary, short, links),
    html: summaryHtml(summary, short, links),
    attachments: short.table ? [short.table] : [],
  };
}

/** The same summary, with file name, comment and remark as one line each. The rows follow in `inSingleLines`. */
function headInSingleLines(summary: Summary): Summary {
  const { fileName, comment, remark } = summary;
  return {
    ...summary,
    fileName: nameLine(fileName),
    comment: comment === null ? null : commentLine(comment),
    remark: remark === null ? null : reasonLine(remark),
  };
}

function inSingleLines(summary: Summary): Summary {
  return {
    ...summary,
    products: summary.products.map(productInLines),
    failedFiles: summary.failedFiles.map(fileInLines),
    skippedFiles: summary.skippedFiles.map(fileInLines),
    unreadableFiles: summary.unreadableFiles.map(fileInLines),
  };
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

function fileInLines({ xmlFile, reason }: SummaryFile): SummaryFile {
  return { xmlFile: nameLine(xmlFile), reason: reasonLine(reason) };
}
