/** What the summary e-mail is about: an import, what became of its products, and of files that are none. */
export type ProductOutcome = 'inserted' | 'failed' | 'not queued' | 'unfinished';

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

export interface Summary {
  importId: number;
  fileName: string;
  comment: string | null;
  uploadedAt: Date;
  /** How the import ended, when not in the ordinary way. */
  remark: string | null;
  products: SummaryProduct[];
  failedFiles: SummaryFile[];
  skippedFiles: SummaryFile[];
  /** Attachment and submitter files. */
  unreadableFiles: SummaryFile[];
}
