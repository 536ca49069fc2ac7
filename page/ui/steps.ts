/** The parts of a product, which are also the steps that insert it: what people read for each, in their order. */
import type { components } from '../api/generated/api.d.ts';

export type Step = components['schemas']['DryRunResult']['products'][number]['changed_sections'][number];

export const STEP_LABELS: Readonly<Record<Step, string>> = {
  init_validate: 'Case and submitter',
  product_details: 'Product details',
  product_presentation: 'Presentations',
  design: 'Design',
  ingredients: 'Ingredients',
  emission: 'Emissions',
};

/** What the API names, in words; a name that this page does not know yet stays as it is. */
export const stepLabel = (step: string): string => STEP_LABELS[step as Step] ?? step;
