/** Waits for inserts: by the close events of children and, because no close event is indispensable, by the database. */
import {
  CancellationScope,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  condition,
  sleep,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { nextPause } from '../src/domain/pauses.ts';
import type { InsertToStart } from '../src/domain/start-options.ts';
import { records } from './activity-proxies.ts';
import { rootCause } from './failures.ts';
import type { PackageImportBatchInput } from './messages.ts';
import type { regulatorInsert } from './regulator-insert.ts';

export type Child = { item: InsertToStart; handle: ChildWorkflowHandle<typeof regulatorInsert> };

/** Pauses between looks at runs whose end the server does not report; longer after hours (src/domain/pauses.ts). */
const PAUSES = { firstPauseMs: 5_000, longestPauseMs: 15 * 60_000 };

/** Resolves when every insert has ended. Rejects on cancellation, or if the progress cannot be read for good. */
export type UntilEnded = () => Promise<void>;

/** Waits for the inserts of a batch: for those that this run started, and for other runs of the same submissions. */
export function awaitInserts(
  { importId, batch }: PackageImportBatchInput,
  children: Child[],
  onEnd: (inserted: boolean) => void,
): UntilEnded {
  let open = children.length;
  for (const child of children)
    void awaitChild(child).then((inserted) => {
      open -= 1;
      onEnd(inserted);
    });
  return () =>
    untilInserted({
      openChildren: () => open,
      look: () => records.insertProgress({ importId, batch }),
      ...PAUSES,
    });
}

/**
 * Waits for a child's end. A child records its own failure and its cancellation; only a run that was ended from outside
 * cannot. A local activity for each failure would hold the workflow task while the ends of other children arrive:
 * Temporal gives a task up once more than a hundred events wait for it.
 */
async function awaitChild({ item, handle }: Child): Promise<boolean> {
  try {
    const { outcome } = await handle.result();
    return outcome !== 'superseded';
  } catch (error) {
    if (wasEnded(error)) {
      const runId = handle.firstExecutionRunId;
      const reason = `The insert run ended without a result: ${rootCause(error).message}`;
      const recorded = CancellationScope.nonCancellable(() =>
        records.recordLostRun({ ...item, runId, reason }),
      );
      // Without its record the insert counts as open. The reconciler repairs it.
      await recorded.catch(() => {});
    }
    return false;
  }
}

/** Whether the child was terminated, also by a reset or a deletion, or timed out. */
function wasEnded(error: unknown): boolean {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : error;
  return cause instanceof TerminatedFailure || cause instanceof TimeoutFailure;
}

interface Waiting {
  /** Children that have not closed. */
  openChildren(): number;
  /** Reads the progress of the inserts from the database. */
  look(): Promise<{ inserting: number }>;
  /** Pause before the second look, unless all children close sooner. */
  firstPauseMs: number;
  /** Longest pause in the first hours (src/domain/pauses.ts). */
  longestPauseMs: number;
}

/** Purpose of the timers, in the timeline of the Web UI. */
const TIMER = { summary: 'Wait before the next check of the inserts' };

/** Waits until no insert is open in the database. */
export async function untilInserted(waiting: Waiting): Promise<void> {
  const { openChildren, look, firstPauseMs, longestPauseMs } = waiting;
  const allClosed = () => openChildren() === 0;
  const began = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs, Date.now() - began, longestPauseMs)) {
    const closedBefore = allClosed() || (await condition(allClosed, pauseMs, TIMER));
    const progress = await look();
    if (progress.inserting === 0) return;
    // If all children close during a look, the next look follows at once.
    if (closedBefore) await sleep(pauseMs, TIMER);
  }
}
