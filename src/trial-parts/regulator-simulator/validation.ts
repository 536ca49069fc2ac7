/**
 * The simulator's own validation of received data. It follows the API description and not the
 * importer's code: a regulator does not trust its clients.
 */
import { z } from 'zod';
import type { InsertStep } from '../../contract/steps.ts';

/** A value with its flag, as every leaf of a product has it. */
const leaf = z.object({ value: z.union([z.string(), z.boolean()]), confidential: z.boolean() });
const filled = leaf.refine(({ value }) => value !== '', 'must not be empty');
const finiteNumber = leaf.refine(
  ({ value }) => value !== '' && Number.isFinite(Number(value)),
  'must be a finite number',
);
const reference = z.object({ attachmentID: z.uuid() });
const company = z.looseObject({ confidential: z.boolean() });

const SECTIONS: Readonly<Record<InsertStep, z.ZodType>> = {
  init_validate: z.object({
    Submitter: z.looseObject({
      submitterID: z
        .string()
        .regex(/^\d{5}$/, 'must be five digits')
        .optional(),
      confidential: z.boolean(),
    }),
    SubmissionType: filled,
    GeneralComment: leaf.optional(),
    ProductID: leaf.refine(({ value }) => /^\d{5}-\d{2}-\d{5}$/.test(String(value)), 'must be a product ID'),
    PreviousProductID: leaf.optional(),
  }),
  product_details: z.looseObject({
    ProductType: leaf.refine(({ value }) => /^[1-9]$/.test(String(value)), 'must be 1 to 9'),
    Weight: leaf.optional(),
    Volume: leaf.optional(),
    Manufacturers: z.array(company).optional(),
    MarketResearchFiles: z.array(reference).optional(),
    StudySummaryFiles: z.array(reference).optional(),
  }),
  product_presentation: z.object({
    Presentations: z.array(z.looseObject({ NationalMarket: leaf.optional(), BrandName: leaf.optional() })),
  }),
  design: z.object({
    Design: z.looseObject({ Description: leaf.optional(), ProductionFile: reference.optional() }),
  }),
  ingredients: z.object({
    Ingredients: z.array(z.looseObject({ Name: leaf.optional(), RecipeQuantity: finiteNumber.optional() })),
  }),
  emission: z.object({
    Emissions: z.array(z.looseObject({ Name: leaf.optional(), Quantity: finiteNumber.optional() })),
  }),
};

export const caseRequest = z.object({
  client_reference: z.uuid(),
  product_id: z.string().regex(/^\d{5}-\d{2}-\d{5}$/, 'must be a product ID'),
  product_type: z.int().min(1).max(9),
  submission_type: z.int().min(1).max(7).nullable(),
});

export interface Reason {
  path: string;
  message: string;
}

/** The reasons against a section; empty if it is acceptable. */
export function reasonsAgainst(step: InsertStep, section: unknown, productId: string): Reason[] {
  const parsed = SECTIONS[step].safeParse(section);
  if (!parsed.success) return reasonsOf(parsed.error);
  const declared = (section as { ProductID?: { value?: unknown } }).ProductID?.value;
  if (step === 'init_validate' && declared !== productId) {
    return [
      { path: 'ProductID', message: `is ${String(declared)}, but the product of the case is ${productId}` },
    ];
  }
  return [];
}

export function reasonsOf(error: z.ZodError): Reason[] {
  return error.issues.map(({ path, message }) => ({ path: path.join('/'), message }));
}
