/**
 * A submission: the record of one product that is to be imported into the regulator's system
 * (interface §2.7), its statuses and the transitions between them (interface §3.1,
 * decision §statuses-move-one-way).
 */
import { SUBMISSION_STATUSES, type SubmissionStatus } from '../contract/statuses.ts';
import type { InsertStep } from '../contract/steps.ts';

/** Every legal transition. The database guards each with a compare-and-set on the previous status. */
export const LEGAL_TRANSITIONS: Readonly<Record<SubmissionStatus, readonly SubmissionStatus[]>> = {
  local: ['regulator_inserting'],
  regulator_inserting: ['regulator_inserted', 'regulator_insert_failed'],
  regulator_inserted: [],
  regulator_insert_failed: ['regulator_inserting'],
};

/** The statuses from which a submission may move to `to`. */
export function statusesBefore(to: SubmissionStatus): SubmissionStatus[] {
  return SUBMISSION_STATUSES.filter((from) => LEGAL_TRANSITIONS[from].includes(to));
}

/** Whether an insert may begin: none is under way, and it is not inserted. */
export function isRunnable(status: SubmissionStatus): boolean {
  return LEGAL_TRANSITIONS[status].includes('regulator_inserting');
}

/** Whether the end of its insert is recorded. */
export function hasEnded(status: SubmissionStatus): boolean {
  return status === 'regulator_inserted' || status === 'regulator_insert_failed';
}

/** Number of submissions per status. */
export type StatusCounts = Record<SubmissionStatus, number>;

export function zeroStatusCounts(): StatusCounts {
  return { local: 0, regulator_inserting: 0, regulator_inserted: 0, regulator_insert_failed: 0 };
}

/** Counts of the products of an import. */
export interface ProductCounts {
  progress: StatusCounts;
  /** Products with warnings. */
  warned: number;
  /** Product files that could not be read. */
  refused: number;
  /** One of the products offers an insert. */
  offersInsert: boolean;
  /** The import was retried. */
  retried: boolean;
}

export function noProducts(): ProductCounts {
  return { progress: zeroStatusCounts(), warned: 0, refused: 0, offersInsert: false, retried: false };
}

/** The submission of a run, and its last begun step; null before the first. */
export interface WorkingSubmission {
  id: number;
  status: SubmissionStatus;
  currentStep: InsertStep | null;
}

/** Figures of the outstanding work in the whole service. */
export interface WorkFigures {
  /** Imports that have not ended. */
  unfinishedImports: number;
  /** Seconds since the oldest of them was uploaded; 0 if there is none. */
  oldestUnfinishedS: number;
  /** Their submissions. */
  submissions: StatusCounts;
  /** Slots for calls to the regulator that processes hold (REGULATOR_CONCURRENCY). */
  regulatorSlots: number;
}
