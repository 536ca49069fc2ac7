/** Figures of the outstanding work in the whole service. */
import type { StatusCounts } from './submission.ts';

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
