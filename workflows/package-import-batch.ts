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
  patched,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { Turn } from '../src/domain/fair-turns.ts';
import { packageImportBatchWorkflowId } from '../src/domain/ids.ts';
import { nextPause } from '../src/domain/pauses.ts';
import { importAttributes } from '../src/domain/search-attributes.ts';
import { importRecords } from './activity-proxies.ts';
import type { RunningInserts } from './await-inserts.ts';
import { childOptions } from './child-options.ts';
import { rootCause } from './failures.ts';
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
/**
 * Inserts that each of them starts at the same time. Each start is recorded in its batch, one after the other: with hundreds of
 * them waiting for their turn Temporal puts some off, for seconds.
 */
const STARTS_AT_ONCE = 50;
const QUEUED_POLL_MS = 30_000;
/** Runs of a batch that may end before they have queued its products; the pauses between them grow from a second. */
const BATCH_TRIES = 6;
const FIRST_RETRY_MS = 1_000;
const QUEUED_TIMER = { summary: 'Until the next look at how far the queuing is' };
/** Between the looks at how far the inserts of all batches are. */
const PAUSES = { firstPauseMs: 10_000, longestPauseMs: 5 * 60_000 };

/** One batch: queues its products, tells its import, waits for their end. */
export async function packageImportBatch(input: PackageImportBatchInput): Promise<void> {
  let ended = 0;
  const running = await queueInserts(input, {
    onEnd() {
      ended += 1;
      setCurrentDetails(`${ended} inserts of batch ${input.batch} have ended.`);
    },
    ...(patched('few-starts-at-once') && { startsAtOnce: STARTS_AT_ONCE }),
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
  const run: BatchesOfImport = {
    input,
    turn,
    queued: queuedBatches,
    handles: new Map(),
    // Imports from before wait on for what they have lost: their histories allow no other way.
    heals: patched('lost-batches'),
  };
  let next = 1;
  const queueSome = async () => {
    while (next <= batches && !CancellationScope.current().consideredCancelled) await queueBatch(run, next++);
  };
  try {
    await Promise.all(Array.from({ length: QUEUING_AT_ONCE }, queueSome));
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  return { ended: () => untilEnded(run) };
}

/** The batches of one import, and what has become of them so far. */
interface BatchesOfImport {
  input: PackageImportInput;
  turn: Turn | undefined;
  /** Those whose products have their queue results. */
  queued: Set<number>;
  /** Those that this run has started; the others are an earlier run's. */
  handles: Map<number, BatchHandle>;
  /** Whether batches that have ended too early are started again. */
  heals: boolean;
}

/**
 * Starts the batch, also again if it has ended before it had queued its products, and returns when it has. One that ends so
 * again and again is given up: its products are not queued, with that reason.
 */
async function queueBatch(run: BatchesOfImport, batch: number): Promise<void> {
  const isQueued = () => run.queued.has(batch);
  let adoptedMs = QUEUED_POLL_MS;
  for (let tries = 1, lost = 0; ; tries += 1) {
    const handle = await startBatch(run.input, batch, run.turn);
    if (handle) run.handles.set(batch, handle);
    if (await untilQueued(run, batch, handle)) return;
    if (handle) lost += 1;
    if (lost >= BATCH_TRIES && patched('bounded-batches')) return giveUp(run, batch, handle);
    const pauseMs = handle ? Math.min(FIRST_RETRY_MS * 2 ** (lost - 2), QUEUED_POLL_MS) : adoptedMs;
    if (!handle)
      adoptedMs = nextPause(adoptedMs, Date.now() - workflowInfo().runStartTime.getTime(), QUEUED_POLL_MS);
    if ((handle === null || tries > 1) && (await condition(isQueued, pauseMs, QUEUED_TIMER))) return;
  }
}

async function giveUp(
  { input: { importId } }: BatchesOfImport,
  batch: number,
  handle: BatchHandle | null,
): Promise<void> {
  const last = await handle?.result().then(
    () => 'it came to an end',
    (error: unknown) => rootCause(error).message,
  );
  const reason = `Batch ${batch} ended ${BATCH_TRIES} times before it had queued its products, the last time so: ${last}. Run it again.`;
  await importRecords.giveUpBatch({ importId, batch, reason });
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

/** False when that will not be: the batch has ended, or is not this run's, which is not told of its end. */
async function untilQueued(
  { input: { importId }, queued, heals }: BatchesOfImport,
  batch: number,
  handle: BatchHandle | null,
): Promise<boolean> {
  let over = false;
  const isOver = () => {
    over = heals;
  };
  if (handle === null) isOver();
  else handle.result().then(isOver, isOver);
  const began = Date.now();
  for (let pauseMs = QUEUED_POLL_MS; ; pauseMs = nextPause(pauseMs, Date.now() - began, QUEUED_POLL_MS)) {
    await condition(() => queued.has(batch) || over, pauseMs, QUEUED_TIMER);
    if (queued.has(batch)) return true;
    const { unqueued } = await importRecords.insertProgress({ importId, batch });
    if (unqueued === 0) return true;
    if (over) return false;
  }
}

async function untilEnded(run: BatchesOfImport): Promise<void> {
  const { importId } = run.input;
  let open = run.handles.size;
  const closed = [...run.handles.values()].map(async (handle) => {
    try {
      await handle.result();
    } catch {
      // Terminated, cancelled or timed out: what its inserts have recorded counts.
    }
    open -= 1;
  });
  const allInserted = () =>
    untilInserted({
      openChildren: () => open,
      look: () => importRecords.insertProgress({ importId }),
      onLook: showProgress,
      ...PAUSES,
      pausesAfterLateClose: false,
    });
  try {
    await allInserted();
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => Promise.all(closed));
    throw error;
  }
}

function showProgress({ inserting, inserted, failed, local }: InsertProgress): void {
  setCurrentDetails(`${inserted} of ${inserted + inserting + failed + local} inserted, ${failed} failed.`);
}
