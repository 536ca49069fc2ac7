/**
 * Large imports: batches between the import and its inserts, so that no history grows beyond a few
 * hundred children (architecture §batches).
 */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { Turn } from '../src/domain/fair-turns.ts';
import { packageImportBatchWorkflowId } from '../src/domain/ids.ts';
import { importAttributes } from '../src/domain/search-attributes.ts';
import { importRecords } from './activity-proxies.ts';
import type { RunningInserts } from './await-inserts.ts';
import { childOptions } from './child-options.ts';
import {
  batchQueued,
  type PackageImportBatchInput,
  type PackageImportInput,
  WORKFLOW_TYPES,
} from './messages.ts';
import { queueInserts } from './queue-inserts.ts';
import { type InsertProgress, untilInserted } from './until-inserted.ts';

type BatchHandle = ChildWorkflowHandle<typeof packageImportBatch>;

/** Batches that queue their products at the same time. More would only stand in each other's way. */
const QUEUING_AT_ONCE = 4;
const QUEUED_POLL_MS = 30_000;
const QUEUED_TIMER = { summary: 'Until the next look at how far the queuing is' };
/** Between the looks at how far the inserts of all batches are. */
const PAUSES = { firstPauseMs: 10_000, longestPauseMs: 5 * 60_000 };

/** One batch: queues its products, tells its import, waits for their end. */
export async function packageImportBatch(input: PackageImportBatchInput): Promise<void> {
  let ended = 0;
  const running = await queueInserts(input, () => {
    ended += 1;
    setCurrentDetails(`${ended} inserts of batch ${input.batch} have ended.`);
  });
  const { parent } = workflowInfo();
  if (parent) {
    // The import may be gone, or reset: it asks the database as well.
    await getExternalWorkflowHandle(parent.workflowId)
      .signal(batchQueued, { batch: input.batch })
      .catch(() => {});
  }
  await running.ended();
}

/**
 * Starts all batches, a few at a time, and returns when every product has its queue result. A
 * cancellation meanwhile only stops further batches: `ended` then deals with those that run.
 *
 * @param turn of the batches and their inserts; the import's own where it is left out
 */
export async function runBatches(
  input: PackageImportInput,
  batches: number,
  turn: Turn | undefined,
): Promise<RunningInserts> {
  const queuedBatches = new Set<number>();
  setHandler(batchQueued, ({ batch }) => {
    queuedBatches.add(batch);
  });
  const handles: BatchHandle[] = [];
  let next = 1;
  const queueSome = async () => {
    while (next <= batches && !CancellationScope.current().consideredCancelled) {
      const batch = next++;
      const handle = await startBatch(input, batch, turn);
      if (handle) handles.push(handle);
      await untilQueued(input, batch, queuedBatches);
    }
  };
  try {
    await Promise.all(Array.from({ length: QUEUING_AT_ONCE }, queueSome));
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  return { ended: () => untilEnded(input, handles) };
}

/** Null when the batch runs already, started by an earlier run of this import. */
async function startBatch(
  input: PackageImportInput,
  batch: number,
  turn: Turn | undefined,
): Promise<BatchHandle | null> {
  try {
    return await startChild<typeof packageImportBatch>(WORKFLOW_TYPES.packageImportBatch, {
      workflowId: packageImportBatchWorkflowId(workflowInfo().workflowId, batch),
      args: [{ ...input, batch }],
      staticSummary: `Batch ${batch} of package import ${input.importId}`,
      ...childOptions(importAttributes(input.importId)),
      ...turn,
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}

async function untilQueued(
  { importId }: PackageImportInput,
  batch: number,
  queuedBatches: Set<number>,
): Promise<void> {
  while (!(await condition(() => queuedBatches.has(batch), QUEUED_POLL_MS, QUEUED_TIMER))) {
    const { unqueued } = await importRecords.insertProgress({ importId, batch });
    if (unqueued === 0) return;
  }
}

async function untilEnded({ importId }: PackageImportInput, handles: BatchHandle[]): Promise<void> {
  let open = handles.length;
  const closed = handles.map(async (handle) => {
    try {
      await handle.result();
    } catch {
      // Terminated, cancelled or timed out: what its inserts have recorded counts.
    }
    open -= 1;
  });
  try {
    await untilInserted({
      openChildren: () => open,
      look: () => importRecords.insertProgress({ importId }),
      onLook: showProgress,
      ...PAUSES,
      pausesAfterLateClose: false,
    });
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => Promise.all(closed));
    throw error;
  }
}

function showProgress({ inserting, inserted, failed, local }: InsertProgress): void {
  setCurrentDetails(`${inserted} of ${inserted + inserting + failed + local} inserted, ${failed} failed.`);
}
