/** The summary e-mail (interface §6): failures first, with the actions that resolve them. Pure: data in, mail out. */

import type { MailAttachment, MailContent } from './mailer.ts';
import { shortened } from './shortened.ts';
import { summaryHtml, summaryText } from './summary-body.ts';
import { type Summary, subjectOf } from './summary-parts.ts';
import { commentLine, type Link, nameLine, remarkLine } from './texts.ts';

export {
  MAILED_PRODUCT_OUTCOMES,
  type MailedFileOutcome,
  type MailedOutcome,
  type MailedProductOutcome,
  type Summary,
  type SummaryProduct,
  type SummaryRow,
} from './summary-parts.ts';
export { firstRows } from './table.ts';

/** The mail stays below 1 MB for any number of products. */
export function renderSummary(
  received: Summary,
  links: readonly Link[] = [],
): MailContent & { attachments: MailAttachment[] } {
  const summary = headInSingleLines(received);
  const short = shortened(summary);
  return {
    subject: subjectOf(summary),
    text: summaryText(summary, short, links),
    html: summaryHtml(summary, short, links),
    attachments: short.table ? [short.table] : [],
  };
}

/** The same summary, with file name, comment and remark as one line each. Those of the rows follow in `shortened`. */
function headInSingleLines(summary: Summary): Summary {
  const { fileName, comment, remark } = summary;
  return {
    ...summary,
    fileName: nameLine(fileName),
    comment: comment === null ? null : commentLine(comment),
    remark: remark === null ? null : remarkLine(remark),
  };
}
