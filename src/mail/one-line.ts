/**
 * What of a summary comes from clients, files and the regulator, made fit for a mail: each value one line, in which every
 * character is seen. Otherwise a comment or a file name could write lines of the mail, or turn the text around.
 */
import { excerpt } from '../domain/text.ts';
import type { Summary, SummaryFile, SummaryProduct } from './summary.ts';

/** Characters of a value. */
const LONGEST = { comment: 200, name: 300, reason: 1_000 };

/** @returns the same summary, with the comment as one short line and every other text as one line */
export function inSingleLines(summary: Summary): Summary {
  const { fileName, comment, remark } = summary;
  return {
    ...summary,
    fileName: nameIn(fileName),
    comment: comment === null ? null : excerpt(comment.trim(), LONGEST.comment),
    remark: remark === null ? null : reasonIn(remark),
    products: summary.products.map(productIn),
    failedFiles: summary.failedFiles.map(fileIn),
    skippedFiles: summary.skippedFiles.map(fileIn),
    unreadableFiles: summary.unreadableFiles.map(fileIn),
  };
}

function productIn(product: SummaryProduct): SummaryProduct {
  const { productId, productType, caseId, reason, warnings } = product;
  return {
    ...product,
    productId: nameIn(productId),
    productType: nameIn(productType),
    caseId: caseId === null ? null : nameIn(caseId),
    reason: reason === null ? null : reasonIn(reason),
    warnings: warnings.map(reasonIn),
  };
}

function fileIn({ xmlFile, reason }: SummaryFile): SummaryFile {
  return { xmlFile: nameIn(xmlFile), reason: reasonIn(reason) };
}

const nameIn = (name: string) => excerpt(name, LONGEST.name);
const reasonIn = (reason: string) => excerpt(reason, LONGEST.reason);
