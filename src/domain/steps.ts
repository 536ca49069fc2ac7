/** The service's view of the steps of an insert (contract/steps.ts has their names and order). */
import { INSERT_STEPS, type InsertStep } from '../contract/steps.ts';

/** The step that sends the submitter to the regulator. */
export const SUBMITTER_STEP: InsertStep = 'init_validate';

/** One flag per step: true once the regulator has accepted that part of the product. */
export type StepFlags = Record<InsertStep, boolean>;

/** Titles of the steps in the Temporal Web UI. */
export const STEP_TITLES: Readonly<Record<InsertStep, string>> = {
  init_validate: 'Open the case and validate the submitter',
  product_details: 'Send the product details',
  product_presentation: 'Send the presentations',
  design: 'Send the design',
  ingredients: 'Send the ingredients',
  emission: 'Send the emissions',
};

/** The steps that still have to run, in order. A rerun starts at the first flag that is not set. */
export function remainingSteps(flags: StepFlags): InsertStep[] {
  return INSERT_STEPS.filter((step) => !flags[step]);
}

/** One value per step. */
export function perStep<T>(make: (step: InsertStep) => T): Record<InsertStep, T> {
  return Object.fromEntries(INSERT_STEPS.map((step) => [step, make(step)])) as Record<InsertStep, T>;
}

/** The sections of a product whose hash has changed. */
export function changedSections(
  before: Readonly<Record<InsertStep, string>>,
  now: Readonly<Record<InsertStep, string>>,
): InsertStep[] {
  return INSERT_STEPS.filter((step) => now[step] !== before[step]);
}

/**
 * Size of a step that runs locally: its section and its attachments, in bytes. Larger steps become activities, which the
 * Web UI shows, and which are fewer at a time (decision §six-steps).
 */
export const LOCAL_STEP_BYTES = 1024 * 1024;
