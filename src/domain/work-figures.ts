/** How much there is to do in the whole service, in numbers. */
import type { StatusCounts } from './submission.ts';

export interface WorkFigures {
  /** Imports that have not ended. */
  unfinishedImports: number;
  /** Seconds since the oldest of them was uploaded; 0 where there is none. */
  oldestUnfinishedS: number;
  /** Their submissions. */
  submissions: StatusCounts;
  /** Slots for calls to the regulator that processes hold (REGULATOR_CONCURRENCY). */
  regulatorSlots: number;
}
