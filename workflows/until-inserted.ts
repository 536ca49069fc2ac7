/** Waits for inserts: by the close events of children and, because no close event is indispensable, by the database. */
import { condition, sleep } from '@temporalio/workflow';
import { nextPause } from '../src/domain/pauses.ts';
import type { importRecords } from './activity-proxies.ts';

export type InsertProgress = Awaited<ReturnType<typeof importRecords.insertProgress>>;

export interface Waiting {
  /** Children that have not closed. */
  openChildren(): number;
  /** Reads the progress of the inserts from the database. */
  look(): Promise<InsertProgress>;
  /** Gets the result of every look. */
  onLook?(progress: InsertProgress): void;
  /**
   * Pause before the second look, unless all children close sooner. Later pauses are longer, to keep histories short.
   */
  firstPauseMs: number;
  /** Longest pause in the first hours (src/domain/pauses.ts). */
  longestPauseMs: number;
}

/** Purpose of the timers, in the timeline of the Web UI. */
const TIMER = { summary: 'Until the next look at how far the inserts are' };

/** Waits until no insert is open in the database. */
export async function untilInserted(waiting: Waiting): Promise<void> {
  const { openChildren, look, onLook, firstPauseMs, longestPauseMs } = waiting;
  const allClosed = () => openChildren() === 0;
  const began = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs, Date.now() - began, longestPauseMs)) {
    const closedBefore = allClosed() || (await condition(allClosed, pauseMs, TIMER));
    const progress = await look();
    onLook?.(progress);
    if (progress.inserting === 0) return;
    // If all children close during a look, the next look follows at once.
    if (closedBefore) await sleep(pauseMs, TIMER);
  }
}
