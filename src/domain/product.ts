/** A product as the rest of the service sees it, read from an XML file. */
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
  /** Path of the referring element, e.g. `Product/Design/ProductionFile`. */
  path: string;
}

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
