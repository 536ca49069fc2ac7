/** The difference between a product and its last inserted version, for people: part of the answer to a dry run. */
import type { InsertStep } from '../contract/steps.ts';

/** The submissions that may be shown: the tenant's own, or those of all tenants (for operators). */
export type ShownSubmissions = 'own' | 'all';

/** The inserted version that a product is compared with. */
export interface InsertedSections {
  submissionId: number;
  /** True for another tenant's submission. The verdict shows that it exists, and its content is not shown. */
  hidden: boolean;
  sections: Record<InsertStep, unknown>;
  /** SHA-256 of the attachments, by attachment ID; null if the service never had the file. */
  attachments: Readonly<Record<string, string | null>>;
  /** Content of the submitter's file. */
  submitter: unknown;
}

/** Size of a patch in UTF-8 (decision §diffs-are-bounded). */
export const PATCH_BYTES_OF_A_PRODUCT = 32 * 1024;

/** Size of all patches of a package together. Beyond it no further product is compared. */
export const PATCH_BYTES_OF_A_PACKAGE = 8 * 1024 * 1024;
