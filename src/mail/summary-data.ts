/** What the summary e-mail is about: an import, what became of its products, and of files that are none. */

/** In the order in which they are shown: what somebody has to do something about comes first. */
export const PRODUCT_OUTCOMES = ['failed', 'unfinished', 'not queued', 'inserted'] as const;
export type ProductOutcome = (typeof PRODUCT_OUTCOMES)[number];

export interface SummaryProduct {
  submissionId: number;
  productId: string;
  productType: string;
  outcome: ProductOutcome;
  caseId: string | null;
  /** Why it failed or was not queued, and what to do. */
  reason: string | null;
  warnings: string[];
}

export interface SummaryFile {
  xmlFile: string;
  reason: string;
}

export interface SummaryCounts {
  products: Readonly<Record<ProductOutcome, number>>;
  failedFiles: number;
  skippedFiles: number;
  unreadableFiles: number;
}

export interface Summary {
  importId: number;
  fileName: string;
  comment: string | null;
  uploadedAt: Date;
  /** How the import ended, when not in the ordinary way. */
  remark: string | null;
  /** Of all that there are; of the lists below the first are enough, as far as a table takes them. */
  counts: SummaryCounts;
  /** By outcome, those with warnings before those without. */
  products: SummaryProduct[];
  failedFiles: SummaryFile[];
  skippedFiles: SummaryFile[];
  /** Attachment and submitter files. */
  unreadableFiles: SummaryFile[];
}

/** Of files that were refused, and of products that were not inserted. */
export function hasRepairPack({ counts }: Pick<Summary, 'counts'>): boolean {
  const { failed, unfinished, 'not queued': notQueued } = counts.products;
  return counts.failedFiles + failed + unfinished + notQueued > 0;
}

/** Whether some of its products may be run again as they are. */
export function canBeRetried({ counts: { products } }: Pick<Summary, 'counts'>): boolean {
  return products.failed + products['not queued'] > 0;
}

/** Of products and files together. */
export function totalOf({ products, failedFiles, skippedFiles, unreadableFiles }: SummaryCounts): number {
  const ofProducts = Object.values(products).reduce((sum, count) => sum + count, 0);
  return ofProducts + failedFiles + skippedFiles + unreadableFiles;
}
