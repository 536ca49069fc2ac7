/** The six sections in which a product is sent, and the attachments that each refers to (package format §3). */
import type { AttachmentReference, Json, ProductSections } from '../domain/product.ts';
import { INSERT_STEPS } from '../domain/steps.ts';
import type { EcigProductSubmission } from './schema/ecig-product.ts';

/** Splits a submission into its sections. A section that the product does not have is null: nothing to send. */
export function sectionsOf({
  Submitter,
  SubmissionType,
  GeneralComment,
  Product,
}: EcigProductSubmission): ProductSections {
  const { ProductID, PreviousProductID, Presentations, Ingredients, Emissions, Design, ...details } = Product;
  return asJson({
    init_validate: { Submitter, SubmissionType, GeneralComment, ProductID, PreviousProductID },
    product_details: details,
    product_presentation: { Presentations },
    design: { Design },
    ingredients: Ingredients === undefined ? null : { Ingredients },
    emission: Emissions === undefined ? null : { Emissions },
  }) as ProductSections;
}

/** Every reference of the sections, once per section and attachment. */
export function attachmentReferences(sections: ProductSections): AttachmentReference[] {
  const references = new Map<string, AttachmentReference>();
  for (const step of INSERT_STEPS) {
    visit(sections[step], step === 'init_validate' ? '' : 'Product', (attachmentId, path) => {
      const key = `${step} ${attachmentId}`;
      if (!references.has(key)) references.set(key, { attachmentId, step, path });
    });
  }
  return [...references.values()];
}

function visit(value: Json, path: string, found: (attachmentId: string, path: string) => void): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(item, `${path}[${index + 1}]`, found);
  } else if (value !== null && typeof value === 'object') {
    if (typeof value.attachmentID === 'string') found(value.attachmentID, path);
    for (const [name, child] of Object.entries(value))
      visit(child, path === '' ? name : `${path}/${name}`, found);
  }
}

/** Leaves out what is undefined, as JSON does. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
