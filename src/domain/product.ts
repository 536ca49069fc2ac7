/** A product as the rest of the service sees it, its submitter, and its last inserted version. */
import type { InsertStep } from '../contract/steps.ts';
import type { Reason } from '../contract/types.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * The product as the regulator gets it: one section per step (package format §3). `null` means that the
 * product has no such section, so the step sends nothing.
 */
export type ProductSections = Record<InsertStep, Json>;

/** A reference from a section to an attachment of the package (an `attachmentID`). */
export interface AttachmentReference {
  attachmentId: string;
  step: InsertStep;
  /** Path of the referring element, e.g. `Product/Design/ProductionFile`, and its line; null if they are not known. */
  path: string | null;
  line: number | null;
}

/** Statements of an attachment file about itself. */
export interface AttachmentDetails {
  attachmentId: string;
  /** File name as the file states it: for display only, never a path. */
  fileName: string;
  contentType: string;
  confidential: boolean;
}

/** The statements of an attachment file, with its decoded content. */
export interface AttachmentContent extends AttachmentDetails {
  sizeBytes: number;
  sha256: string;
}

/** The data of an attachment that the regulator gets, beside its ID. */
export type SentAttachment = Pick<AttachmentContent, 'sha256' | 'fileName' | 'contentType' | 'confidential'>;

export interface ParsedProduct {
  productId: string;
  /** The submitter's ID as the file gives it, or null. */
  submitterId: string | null;
  /** Code of the product type, 1–9 (package format §4). */
  productTypeCode: number;
  /** Display text of the code: the `product_type` of the interface. */
  productType: string;
  /** Code of the submission type, 1–7; null if the file has another value. */
  submissionTypeCode: number | null;
  sections: ProductSections;
  attachments: AttachmentReference[];
  /** Deviations that do not prevent the import. */
  warnings: Reason[];
}

/**
 * IDs of the submitters that a client speaks for (decision §imports-have-an-owner); null if all clients belong
 * to one company and may import every product.
 */
export type Submitters = readonly string[] | null;

/** The submitter ID of a product. */
export function submitterOf(productId: string): string {
  return productId.slice(0, 5);
}

/** Whether a product belongs to one of the submitters. */
export function isOfSubmitters(submitters: Submitters, productId: string): boolean {
  return submitters === null || submitters.includes(submitterOf(productId));
}

/** The submissions that may be shown: the tenant's own, or those of all tenants (for operators). */
export type ShownSubmissions = 'own' | 'all';

/** A field as its section keeps it (package format §2). */
interface StoredField {
  value: unknown;
  confidential: boolean;
}

/** The fields that identify a presentation, and say whether it is withdrawn (package format §3). */
export const PRESENTATION_FIELDS = [
  'NationalMarket',
  'BrandName',
  'BrandSubtypeName',
  'ProductNumber',
  'WithdrawalIndication',
] as const;

export type PresentationFields = Partial<Record<(typeof PRESENTATION_FIELDS)[number], StoredField>>;

/** The last inserted submission of a product, as far as the checks of products need it. */
export interface InsertedBefore {
  /**
   * Its case, and the day of its insert, `YYYY-MM-DD` in UTC. Null for another tenant's submission, of which only the
   * existence may be told.
   */
  caseId: string | null;
  on: string | null;
  /** Null for another tenant's submission, and beyond `PRESENTATION_BYTES`. */
  presentations: PresentationFields[] | null;
  /** Year of the tenant's first inserted submission of type 1 or 2; null without one. */
  firstYear: number | null;
}

/**
 * Size of the presentations of an inserted submission, as JSON, up to which they are compared with. A batch has up to
 * 32 of them in memory.
 */
export const PRESENTATION_BYTES = 128 * 1024;

/** The inserted version that a product is compared with. */
export interface InsertedSections {
  submissionId: number;
  /** True for another tenant's submission. The verdict shows that it exists, and its content is not shown. */
  hidden: boolean;
  sections: Record<InsertStep, unknown>;
  /** The attachments as the regulator got them, by attachment ID; null if the service never had the file. */
  attachments: Readonly<Record<string, SentAttachment | null>>;
  /** Content of the submitter's file. */
  submitter: unknown;
}

/** Size of a patch in UTF-8 (decision §diffs-are-bounded). */
export const PATCH_BYTES_OF_A_PRODUCT = 32 * 1024;

/** Size of all patches of a package together. Beyond it no further product is compared. */
export const PATCH_BYTES_OF_A_PACKAGE = 8 * 1024 * 1024;
