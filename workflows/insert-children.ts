/**
 * Queuing a batch of submissions as `regulator-insert` children, and waiting for them. Used by the
 * import itself and, in large imports, by its batches.
 *
 * Built for resets (design §6): a child that runs already for the same submission is awaited, a
 * submission that is inserted is skipped, and while waiting the database is asked as well, so that no
 * child's close event is indispensable.
 */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  startChild,
} from '@temporalio/workflow';
import { insertWorkflowId } from '../src/domain/ids.ts';
import { type InsertToStart, insertStart } from '../src/domain/insert-start.ts';
import {
  alreadyQueued,
  IMPORT_CANCELLED,
  notStarted,
  OTHERS_IN_THE_WAY,
  type QueueResult,
  queued,
  START_TRIES,
} from '../src/domain/queue.ts';
import { importRecords, lookups } from './activity-proxies.ts';
import { childOptions } from './child-options.ts';
import { rootCause } from './failures.ts';
import { type PackageImportBatchInput, WORKFLOW_TYPES } from './messages.ts';
import type { regulatorInsert } from './regulator-insert.ts';
import { TIMERS } from './visibility.ts';

type InsertHandle = ChildWorkflowHandle<typeof regulatorInsert>;
type Child = { item: InsertToStart; handle: InsertHandle };
type Adopted = { item: InsertToStart; runId: string };

/** Waiting for runs whose end the server does not tell us: from seconds to a quarter of an hour. */
const FIRST_POLL_MS = 5_000;
const LONGEST_POLL_MS = 15 * 60_000;

export interface RunningInserts {
  /** Resolves when every queued submission of the batch has ended. Never rejects, except on cancellation. */
  ended(): Promise<void>;
}

/**
 * Starts one insert per submission of the batch and stores every queue result. A cancellation meanwhile
 * only stops further starts: `ended` then deals with what has been started.
 *
 * @param onEnd is called whenever a child has ended
 */
export async function queueInserts(
  input: PackageImportBatchInput,
  onEnd: (inserted: boolean) => void,
): Promise<RunningInserts> {
  const { importId, batch, resumed = false } = input;
  const plan = await importRecords.planInserts({ importId, batch, retryFailed: !resumed });
  const children: Child[] = [];
  /** Runs of our own submissions that are not our children: left by an earlier run of this workflow. */
  const adopted: Adopted[] = [];
  const results: QueueResult[] = [];

  let waiting = plan;
  for (let tries = 1; waiting.length > 0; tries += 1) {
    const blocked: InsertToStart[] = [];
    const start = async (item: InsertToStart) => {
      const started = await startInsert(importId, item);
      if (started === 'blocked') blocked.push(item);
      else if (started === 'cancelled') results.push(notStarted(item.submissionId, IMPORT_CANCELLED));
      else {
        children.push({ item, handle: started });
        results.push(queued(item.submissionId, started.firstExecutionRunId));
      }
    };
    await Promise.all(waiting.map(start));
    waiting = [];
    if (blocked.length === 0) break;
    const found = await CancellationScope.nonCancellable(() =>
      lookups.describeRunsInTheWay({ items: blocked }),
    );
    for (const run of found) {
      const item = blocked.find(({ submissionId }) => submissionId === run.submissionId);
      if (!item) continue;
      if (run.kind === 'own') {
        adopted.push({ item, runId: run.runId });
        results.push(queued(item.submissionId, run.runId));
      } else if (run.kind === 'other')
        results.push(alreadyQueued(item.submissionId, run.runId, run.jobState));
      else if (tries < START_TRIES) waiting.push(item);
      else results.push(notStarted(item.submissionId, `${OTHERS_IN_THE_WAY} Run it again.`));
    }
  }
  await CancellationScope.nonCancellable(() => importRecords.recordQueueResults({ importId, results }));
  return awaitInserts(input, children, adopted, onEnd);
}

function awaitInserts(
  input: PackageImportBatchInput,
  children: Child[],
  adopted: Adopted[],
  onEnd: (inserted: boolean) => void,
): RunningInserts {
  let open = children.length;
  const closed = children.map(async (child) => {
    const inserted = await awaitChild(child);
    open -= 1;
    onEnd(inserted);
  });
  return {
    async ended() {
      try {
        await untilEnded(input, () => open);
      } catch (error) {
        if (!isCancellation(error)) throw error;
        await CancellationScope.nonCancellable(async () => {
          await Promise.all(adopted.map(cancelAdopted));
          await Promise.all(closed);
          await untilEnded(input, () => open);
        });
        throw error;
      }
    },
  };
}

/** `blocked` when a run of the product is in the way. */
async function startInsert(
  importId: number,
  item: InsertToStart,
): Promise<InsertHandle | 'blocked' | 'cancelled'> {
  const { options, attributes } = insertStart({ importId, ...item });
  try {
    return await startChild<typeof regulatorInsert>(WORKFLOW_TYPES.regulatorInsert, {
      ...options,
      ...childOptions(attributes),
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'blocked';
    if (isCancellation(error)) return 'cancelled';
    throw error;
  }
}

/** Waits for a child's end. A failure is an outcome, which the child has recorded, unless it was ended from outside. */
async function awaitChild({ item: { submissionId }, handle }: Child): Promise<boolean> {
  try {
    const { outcome } = await handle.result();
    return outcome !== 'superseded';
  } catch (error) {
    const runId = handle.firstExecutionRunId;
    const reason = isCancellation(error)
      ? 'The insert was cancelled.'
      : `The insert run ended without a result: ${rootCause(error).message}`;
    await CancellationScope.nonCancellable(() =>
      importRecords.recordLostRun({ submissionId, runId, reason }),
    );
    return false;
  }
}

/** Waits until the database says that no submission of the batch is being inserted. */
async function untilEnded(
  { importId, batch }: PackageImportBatchInput,
  openChildren: () => number,
): Promise<void> {
  for (let poll = FIRST_POLL_MS; ; poll = Math.min(poll * 2, LONGEST_POLL_MS)) {
    if (openChildren() > 0) await condition(() => openChildren() === 0, poll, TIMERS.inserting);
    const { inserting } = await importRecords.insertProgress({ importId, batch });
    if (inserting === 0) return;
    if (openChildren() === 0) await condition(() => false, poll, TIMERS.inserting);
  }
}

async function cancelAdopted({ item, runId }: Adopted): Promise<void> {
  try {
    await getExternalWorkflowHandle(insertWorkflowId(item.productId), runId).cancel();
  } catch {
    // It has ended meanwhile: what it recorded counts.
  }
}
