/** Waiting for inserts: by the closing of children and, because no close event is indispensable, by the database. */
import { condition } from '@temporalio/workflow';
import { nextPause } from '../src/domain/pauses.ts';
import type { importRecords } from './activity-proxies.ts';

export type InsertProgress = Awaited<ReturnType<typeof importRecords.insertProgress>>;

export interface Waiting {
  /** Children that have not closed. */
  openChildren(): number;
  /** Looks into the database how far the inserts are. */
  look(): Promise<InsertProgress>;
  /** Told of what every look has found. */
  onLook?(progress: InsertProgress): void;
  /** Before the second look, unless all children close sooner; then longer each time, to keep histories short. */
  firstPauseMs: number;
  /** In the first hours (src/domain/pauses.ts). */
  longestPauseMs: number;
  /**
   * Whether it pauses, too, when the last child has closed during a look. Runs under way have done so, or have not,
   * according to their type: their histories allow no other answer (docs/changing-workflows.md).
   */
  pausesAfterLateClose: boolean;
}

/** What the timers are for, in the timeline of the Web UI. */
const TIMER = { summary: 'Until the next look at how far the inserts are' };

/** Waits until the database says that nothing is being inserted. */
export async function untilInserted(waiting: Waiting): Promise<void> {
  const { openChildren, look, onLook, firstPauseMs, longestPauseMs, pausesAfterLateClose } = waiting;
  const allClosed = () => openChildren() === 0;
  const began = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs, Date.now() - began, longestPauseMs)) {
    const closedBefore = allClosed() || (await condition(allClosed, pauseMs, TIMER));
    const progress = await look();
    onLook?.(progress);
    if (progress.inserting === 0) return;
    if (pausesAfterLateClose ? allClosed() : closedBefore) await condition(() => false, pauseMs, TIMER);
  }
}
