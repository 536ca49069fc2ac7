/** The six sections of a product that are sent, and the attachments of each (package format §3). */

import { INSERT_STEPS, type InsertStep } from '../contract/steps.ts';
import type { AttachmentReference, Json, ProductSections } from '../domain/product.ts';
import type { EcigProductSubmission } from './schema/ecig-product.ts';
import type { Findings } from './schema/reading.ts';

/** Splits a submission into its sections. A section that the product does not have is null and is not sent. */
export function sectionsOf({
  Submitter,
  SubmissionType,
  GeneralComment,
  Product,
}: EcigProductSubmission): ProductSections {
  const { ProductID, PreviousProductID, Presentations, Ingredients, Emissions, Design, ...details } = Product;
  const sections: Record<InsertStep, object | null> = {
    init_validate: {
      Submitter,
      SubmissionType,
      ...(GeneralComment && { GeneralComment }),
      ProductID,
      ...(PreviousProductID && { PreviousProductID }),
    },
    product_details: details,
    product_presentation: { Presentations },
    design: { Design },
    ingredients: Ingredients === undefined ? null : { Ingredients },
    emission: Emissions === undefined ? null : { Emissions },
  };
  // Readers omit missing fields, so no value is undefined and the sections are plain JSON.
  return sections as ProductSections;
}

/**
 * Every reference of the sections, once per section and attachment.
 *
 * @param origins of the references
 */
export function attachmentReferences(
  sections: ProductSections,
  origins: Findings['origins'],
): AttachmentReference[] {
  const references: AttachmentReference[] = [];
  for (const step of INSERT_STEPS) {
    const seen = new Set<string>();
    visit(sections[step], (reference) => {
      const { attachmentID: attachmentId } = reference;
      if (seen.has(attachmentId)) return;
      seen.add(attachmentId);
      const { place, line = null } = origins.get(reference) ?? {};
      references.push({ attachmentId, step, path: place?.path ?? null, line });
    });
  }
  return references;
}

/** Walks through JSON. */
function visit(value: Json, found: (reference: { attachmentID: string }) => void): void {
  if (value === null || typeof value !== 'object') return;
  if (isReference(value)) found(value);
  for (const part of Object.values(value)) visit(part, found);
}

function isReference(value: object): value is { attachmentID: string } {
  return 'attachmentID' in value && typeof value.attachmentID === 'string';
}
