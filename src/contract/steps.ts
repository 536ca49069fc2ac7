/**
 * The six steps that bring one product into the regulator's system, in the order in which they run
 * (decision §six-steps). A step has the name of the flag that it sets in a submission's `state` (interface §2.7).
 */
export const INSERT_STEPS = [
  'init_validate',
  'product_details',
  'product_presentation',
  'design',
  'ingredients',
  'emission',
] as const;

export type InsertStep = (typeof INSERT_STEPS)[number];

/**
 * The part of a product file that each step sends: its element, from below the root. The details are the rest of
 * `Product`.
 */
export const STEP_PATHS: Readonly<Record<InsertStep, string>> = {
  init_validate: 'Submitter',
  product_details: 'Product',
  product_presentation: 'Product/Presentations',
  design: 'Product/Design',
  ingredients: 'Product/Ingredients',
  emission: 'Product/Emissions',
};

/** Labels of the steps: the section of the product that each step sends. */
export const STEP_LABELS: Readonly<Record<InsertStep, string>> = {
  init_validate: 'Case and submitter',
  product_details: 'Product details',
  product_presentation: 'Presentations',
  design: 'Design',
  ingredients: 'Ingredients',
  emission: 'Emissions',
};
