/** Waiting for inserts: by the closing of children and, because no close event is indispensable, by the database. */
import { condition, sleep } from '@temporalio/workflow';
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
}

/** What the timers are for, in the timeline of the Web UI. */
const TIMER = { summary: 'Until the next look at how far the inserts are' };

/** Waits until the database says that nothing is being inserted. */
export async function untilInserted(waiting: Waiting): Promise<void> {
  const { openChildren, look, onLook, firstPauseMs, longestPauseMs } = waiting;
  const allClosed = () => openChildren() === 0;
  const began = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs, Date.now() - began, longestPauseMs)) {
    const closedBefore = allClosed() || (await condition(allClosed, pauseMs, TIMER));
    const progress = await look();
    onLook?.(progress);
    if (progress.inserting === 0) return;
    // A child that has closed during the look is a reason to look again at once.
    if (closedBefore) await sleep(pauseMs, TIMER);
  }
}
