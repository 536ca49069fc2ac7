/** Runs the batches of a large import: starts them, waits for their queuing, then for their inserts. */
import {
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { packageImportBatchWorkflowId } from '../src/domain/ids.ts';
import { nextPause } from '../src/domain/pauses.ts';
import { type Fairness, importAttributes } from '../src/domain/start-options.ts';
import { records } from './activity-proxies.ts';
import { type UntilEnded, untilInserted } from './await-inserts.ts';
import { rootCause } from './failures.ts';
import {
  batchQueued,
  type PackageImportBatchInput,
  type PackageImportInput,
  WORKFLOW_TYPES,
} from './messages.ts';
import type { packageImportBatch } from './package-import-batch.ts';
import { startUnlessRunning } from './start-child.ts';

type BatchHandle = ChildWorkflowHandle<typeof packageImportBatch>;

/** Batches that queue their products concurrently. More would only delay each other. */
const QUEUING_AT_ONCE = 4;
/** Runs of a batch that may end before its products are queued. */
const BATCH_ATTEMPTS = 6;
/** Pause before the third run of a batch, doubled before each later one. The second run starts at once. */
const FIRST_RETRY_MS = 1_000;
/** Pause between looks at the queuing of a batch; longer after hours (src/domain/pauses.ts). */
const QUEUED_POLL_MS = 30_000;
const QUEUED_TIMER = { summary: 'Wait before the next check of the queuing' };
/** Pause between looks at the inserts of all batches. */
const PAUSES = { firstPauseMs: 10_000, longestPauseMs: 5 * 60_000 };

/**
 * Runs the batches until every product has its queue result or the import is cancelled.
 *
 * @param fairness fairness key of the batches and their inserts; by default the import's own
 */
export async function runBatches(
  input: PackageImportInput,
  count: number,
  fairness: Fairness | undefined,
): Promise<UntilEnded> {
  const { importId } = input;
  /** Numbers of the batches that signalled that their products are queued. */
  const queued = new Set<number>();
  /** Batches that this run started; the others belong to an earlier run. */
  const handles = new Map<number, BatchHandle>();
  setHandler(batchQueued, ({ batch }) => {
    queued.add(batch);
  });
  await queueAll();
  return untilEnded;

  /** Queues a few batches at a time. A cancellation only stops further batches. */
  async function queueAll(): Promise<void> {
    let next = 1;
    const queueSome = async () => {
      while (next <= count && !CancellationScope.current().consideredCancelled) await queueBatch(next++);
    };
    try {
      await Promise.all(Array.from({ length: QUEUING_AT_ONCE }, queueSome));
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }

  /** Runs a batch until its products are queued. A batch that ends before is started again, a few times. */
  async function queueBatch(batch: number): Promise<void> {
    let last: BatchHandle | null = null;
    for (let lost = 0; lost < BATCH_ATTEMPTS; lost += 1) {
      const pauseMs = FIRST_RETRY_MS * 2 ** (lost - 2);
      if (lost > 1 && (await signalledWithin(pauseMs, batch))) return;
      last = await startWhenFree({ ...input, batch, ...(lost > 0 && { resumed: true }) });
      if (last === null || (await untilQueued(batch, last))) return;
    }
    await giveUp(batch, last);
  }

  /** Starts a batch when no run of an earlier import run conflicts. Null if that run has queued the products. */
  async function startWhenFree(batchInput: PackageImportBatchInput): Promise<BatchHandle | null> {
    const { batch } = batchInput;
    const began = Date.now();
    for (let pauseMs = QUEUED_POLL_MS; ; pauseMs = nextPause(pauseMs, Date.now() - began, QUEUED_POLL_MS)) {
      const handle = await startUnlessRunning<typeof packageImportBatch>(
        WORKFLOW_TYPES.packageImportBatch,
        importAttributes(importId),
        {
          workflowId: packageImportBatchWorkflowId(workflowInfo().workflowId, batch),
          args: [batchInput],
          staticSummary: `Batch ${batch} of package import ${importId}`,
          ...fairness,
        },
      );
      if (handle) {
        handles.set(batch, handle);
        return handle;
      }
      if (await isQueued(batch)) return null;
      if (await signalledWithin(pauseMs, batch)) return null;
    }
  }

  /** Waits until the batch has queued its products. False if it ended before. */
  async function untilQueued(batch: number, handle: BatchHandle): Promise<boolean> {
    let hasEnded = false;
    const onEnd = () => {
      hasEnded = true;
    };
    handle.result().then(onEnd, onEnd);
    const began = Date.now();
    for (let pauseMs = QUEUED_POLL_MS; ; pauseMs = nextPause(pauseMs, Date.now() - began, QUEUED_POLL_MS)) {
      await condition(() => queued.has(batch) || hasEnded, pauseMs, QUEUED_TIMER);
      if (await isQueued(batch)) return true;
      if (hasEnded) return false;
    }
  }

  function signalledWithin(pauseMs: number, batch: number): Promise<boolean> {
    return condition(() => queued.has(batch), pauseMs, QUEUED_TIMER);
  }

  /** Whether the batch is queued, by its signal or by the database: the signal may have reached an earlier run. */
  async function isQueued(batch: number): Promise<boolean> {
    if (queued.has(batch)) return true;
    const { unqueued } = await records.insertProgress({ importId, batch });
    return unqueued === 0;
  }

  /** Gives up a batch: each product that is not queued gets the reason. */
  async function giveUp(batch: number, last: BatchHandle | null): Promise<void> {
    const end = await last?.result().then(
      () => 'it completed',
      (error: unknown) => rootCause(error).message,
    );
    const reason = `Batch ${batch} ended ${BATCH_ATTEMPTS} times before it had queued its products. Reason of its last end: ${end}. Retry it.`;
    await records.giveUpBatch({ importId, batch, reason });
  }

  /** Waits for the inserts of all batches. */
  async function untilEnded(): Promise<void> {
    let open = handles.size;
    const onEnd = () => {
      open -= 1;
    };
    // Terminated, cancelled or timed out: the records of its inserts count.
    for (const handle of handles.values()) handle.result().then(onEnd, onEnd);
    await untilInserted({
      openChildren: () => open,
      look: async () => {
        const progress = await records.insertProgress({ importId });
        const { inserting, inserted, failed, local } = progress;
        setCurrentDetails(
          `${inserted} of ${inserted + inserting + failed + local} inserted, ${failed} failed.`,
        );
        return progress;
      },
      ...PAUSES,
    });
  }
}
