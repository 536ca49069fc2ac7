/** The six sections of a product that are sent, and the attachments of each (package format §3). */

import { INSERT_STEPS, type InsertStep } from '../contract/steps.ts';
import type { AttachmentReference, Json, ProductSections } from '../domain/product.ts';
import type { EcigProductSubmission } from './schema/ecig-product.ts';

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

/** Every reference of the sections, once per section and attachment. */
export function attachmentReferences(sections: ProductSections): AttachmentReference[] {
  const references: AttachmentReference[] = [];
  for (const step of INSERT_STEPS) {
    const seen = new Set<string>();
    const trail: string[] = step === 'init_validate' ? [] : ['Product'];
    visit(sections[step], trail, (attachmentId) => {
      if (seen.has(attachmentId)) return;
      seen.add(attachmentId);
      references.push({ attachmentId, step, path: trail.join('/').replaceAll('/[', '[') });
    });
  }
  return references;
}

/** Walks through JSON. `trail` holds the path during each call of `found`. */
function visit(value: Json, trail: string[], found: (attachmentId: string) => void): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      trail.push(`[${index + 1}]`);
      visit(value[index] ?? null, trail, found);
      trail.pop();
    }
  } else if (value !== null && typeof value === 'object') {
    if (typeof value.attachmentID === 'string') found(value.attachmentID);
    for (const name in value) {
      trail.push(name);
      visit(value[name] ?? null, trail, found);
      trail.pop();
    }
  }
}
