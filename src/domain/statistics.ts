/** What is counted of imports and their products (architecture §statistics-are-rolled-up). */
import { INSERT_STEPS, type InsertStep } from './steps.ts';

/** Where the product files of packages have got to. A `refused` one could not be read. */
export const PRODUCT_OUTCOMES = [
  'local',
  'regulator_inserting',
  'regulator_inserted',
  'regulator_insert_failed',
  'skipped',
  'refused',
] as const;

export type ProductOutcome = (typeof PRODUCT_OUTCOMES)[number];

/**
 * What failed, and where: the package, a product file, the queuing of a product, or its insert, by the step that it had
 * begun last. Reasons themselves are texts of people and of the regulator, of which no two need to be alike.
 */
export const FAILURE_KINDS = [
  'package_unreadable',
  'file_refused',
  'not_queued',
  'insert_not_begun',
  ...INSERT_STEPS.map((step) => `insert_${step}` as const),
] as const;

export type FailureKind =
  | 'package_unreadable'
  | 'file_refused'
  | 'not_queued'
  | 'insert_not_begun'
  | `insert_${InsertStep}`;
