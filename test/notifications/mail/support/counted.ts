/** A summary of what is in its lists. */
import {
  PRODUCT_OUTCOMES,
  type ProductOutcome,
  type Summary,
  type SummaryCounts,
} from '../../../../src/notifications/mail/summary-data.ts';

export function counted(summary: Omit<Summary, 'counts'>): Summary {
  const products = Object.fromEntries(
    PRODUCT_OUTCOMES.map((outcome) => [
      outcome,
      summary.products.filter((product) => product.outcome === outcome).length,
    ]),
  ) as Record<ProductOutcome, number>;
  const counts: SummaryCounts = {
    products,
    failedFiles: summary.failedFiles.length,
    skippedFiles: summary.skippedFiles.length,
    unreadableFiles: summary.unreadableFiles.length,
  };
  return { ...summary, counts };
}
