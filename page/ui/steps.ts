/** The parts of a product, which are also the steps that insert it: what people read for each, in their order. */
import { type InsertStep, STEP_LABELS } from '../../src/contract/steps.ts';

/** What the API names, in words; a name that this page does not know yet stays as it is. */
export const stepLabel = (step: string): string => STEP_LABELS[step as InsertStep] ?? step;
