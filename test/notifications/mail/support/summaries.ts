import {
  PRODUCT_OUTCOMES,
  type ProductOutcome,
  type Summary,
  type SummaryCounts,
  type SummaryProduct,
} from '../../../../src/notifications/mail/summary.ts';
/** Summaries for tests, with the counts of what is in their lists. */

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

/** A summary of an import with no file and no product, but for these. */
export function summaryOf(lists: Partial<Omit<Summary, 'counts'>>): Summary {
  return counted({
    importId: 7,
    fileName: 'package.zip',
    comment: null,
    uploadedAt: new Date('2026-01-31T12:00:00Z'),
    couldNotBeRead: false,
    remark: null,
    products: [],
    failedFiles: [],
    skippedFiles: [],
    unreadableFiles: [],
    ...lists,
  });
}

/** The product of a number, inserted if nothing else is said. */
export function summaryProduct(n: number, values: Partial<SummaryProduct> = {}): SummaryProduct {
  return {
    submissionId: n,
    productId: `99962-26-${String(n).padStart(5, '0')}`,
    productType: 'Electronic cigarette - Refillable, placed on the market with one type of e-liquid',
    outcome: 'inserted',
    caseId: null,
    reason: null,
    warnings: [],
    ...values,
  };
}
