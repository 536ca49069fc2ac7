/** Data of the summary e-mail: an import, the outcomes of its products, and its other files. */

/** Display order: outcomes that need action come first. */
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
  /** Whether the import failed as a whole, for the reason in `remark`. */
  couldNotBeRead: boolean;
  /** How the import ended, if not normally. */
  remark: string | null;
  /** Counts of all rows. The lists below may hold only the first rows, up to the size of a table. */
  counts: SummaryCounts;
  /** By outcome; products with warnings come before those without. */
  products: SummaryProduct[];
  failedFiles: SummaryFile[];
  skippedFiles: SummaryFile[];
  /** Attachment and submitter files. */
  unreadableFiles: SummaryFile[];
}

/** A repair pack holds refused files, and files of products that were not inserted. */
export function hasRepairPack({ counts }: Pick<Summary, 'counts'>): boolean {
  const { failed, unfinished, 'not queued': notQueued } = counts.products;
  return counts.failedFiles + failed + unfinished + notQueued > 0;
}

/** Whether some of its products may be run again unchanged. */
export function canBeRetried({ counts: { products } }: Pick<Summary, 'counts'>): boolean {
  return products.failed + products['not queued'] > 0;
}

/** Number of products and files together. */
export function totalOf({ products, failedFiles, skippedFiles, unreadableFiles }: SummaryCounts): number {
  const ofProducts = Object.values(products).reduce((sum, count) => sum + count, 0);
  return ofProducts + failedFiles + skippedFiles + unreadableFiles;
}
