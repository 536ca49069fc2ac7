/** What would become of a package if it were imported: the answer to a dry run. */
import type { Verdict } from '../contract/statuses.ts';
import type { InsertStep } from '../contract/steps.ts';
import type { ProductDiff } from './product-diff.ts';

export interface CheckedProduct {
  /** Base name of the file. */
  xmlFile: string;
  verdict: Verdict;
  /** Null where the file does not tell. */
  productId: string | null;
  productType: string | null;
  /** Sections that differ from the product's last submission, by the names of their steps. */
  changedSections: InsertStep[];
  /** Why it is not new or changed; or why it is sent again although nothing has changed. */
  reason: string | null;
  warnings: string[];
  /** Absent where it was not asked for; null where there is nothing to compare with. */
  diff?: ProductDiff | null;
}

/** A file to which products refer, and which cannot be read. */
export interface UnreadableFile {
  kind: 'attachment' | 'submitter';
  xmlFile: string;
  reason: string;
}

export interface PackageCheck {
  /** In archive order. */
  products: CheckedProduct[];
  unreadable: UnreadableFile[];
}
