/** How a product differs from what was inserted last, for people: a part of the answer to a dry run. */
import type { InsertStep } from '../contract/steps.ts';

/** Whose submissions may be shown: those of the client, or of all clients, for operators. */
export type ShownSubmissions = 'own' | 'all';

/** What a product may be compared with. */
export interface InsertedSections {
  submissionId: number;
  /** Not the client's: that it exists is known from the verdict, what it says is not shown. */
  hidden: boolean;
  sections: Record<InsertStep, unknown>;
  /** SHA-256 of the attachments, by attachment ID; null where we never had the file. */
  attachments: Readonly<Record<string, string | null>>;
  /** What the submitter's file said. */
  submitter: unknown;
}

/** Of a patch, in UTF-8 (decision §diffs-are-bounded). */
export const PATCH_BYTES_OF_A_PRODUCT = 32 * 1024;

/** Of all patches of a package together; beyond it nothing is compared any more. */
export const PATCH_BYTES_OF_A_PACKAGE = 8 * 1024 * 1024;
