/**
 * Queues a batch of submissions as `regulator-insert` children. The import uses it directly, and large imports through
 * their batches.
 *
 * It tolerates resets (decision §resets-are-normal): it waits for a running child of the same submission, skips
 * inserted submissions, and also queries the database while it waits. No child's close event is therefore
 * indispensable.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { CancellationScope, isCancellation, startChild } from '@temporalio/workflow';
import {
  alreadyQueued,
  notStarted,
  OTHERS_IN_THE_WAY,
  type QueueResult,
  queued,
  START_TRIES,
} from '../src/domain/queue.ts';
import {
  type Fairness,
  type InsertOfImport,
  type InsertToStart,
  insertStart,
} from '../src/domain/start-options.ts';
import { describeRunsInTheWay, importRecords } from './activity-proxies.ts';
import { awaitInserts, type Child, type InsertHandle, type RunningInserts } from './await-inserts.ts';
import { childOptions } from './child-options.ts';
import { type PackageImportBatchInput, WORKFLOW_TYPES } from './messages.ts';
import type { regulatorInsert } from './regulator-insert.ts';

/** State of the batch's submissions. */
interface Queuing {
  children: Child[];
  results: QueueResult[];
}

interface Queue {
  /** Called when a child has ended. */
  onEnd(inserted: boolean): void;
  /** Fairness key of the inserts; by default that of this run. */
  fairness?: Fairness | undefined;
  /** Inserts that are started concurrently; by default all. */
  startsAtOnce?: number;
}

/**
 * Starts one insert per submission of the batch and stores every queue result. A cancellation only stops further
 * starts; `ended` then rejects.
 */
export async function queueInserts(
  input: PackageImportBatchInput,
  { onEnd, fairness, startsAtOnce = Number.POSITIVE_INFINITY }: Queue,
): Promise<RunningInserts> {
  const { importId, batch, resumed = false } = input;
  const queuing: Queuing = { children: [], results: [] };
  let waiting = await importRecords.planInserts({ importId, batch, retryFailed: !resumed });
  for (let tries = 1; waiting.length > 0; tries += 1) {
    const blocked = await start({ importId, fairness }, waiting, queuing, startsAtOnce);
    waiting = await classify(blocked, queuing, { isLastTry: tries === START_TRIES });
  }
  await record(importId, queuing);
  return awaitInserts(input, queuing.children, onEnd);
}

/** Starts inserts in groups, and returns those with a run of their product in the way. */
async function start(
  ofAll: Pick<InsertOfImport, 'importId' | 'fairness'>,
  items: InsertToStart[],
  { children, results }: Queuing,
  atOnce: number,
): Promise<InsertToStart[]> {
  const blocked: InsertToStart[] = [];
  const startOne = async (item: InsertToStart) => {
    const started = await startInsert({ ...ofAll, ...item });
    if (started === 'blocked') blocked.push(item);
    else if (started !== null) {
      children.push({ item, handle: started });
      results.push(queued(item.submissionId, started.firstExecutionRunId));
    }
  };
  for (let from = 0; from < items.length; from += atOnce)
    await Promise.all(items.slice(from, from + atOnce).map(startOne));
  return blocked;
}

/** Looks up the runs in the way, and returns the inserts that can start because such a run has ended. */
async function classify(
  blocked: InsertToStart[],
  { results }: Queuing,
  { isLastTry }: { isLastTry: boolean },
): Promise<InsertToStart[]> {
  if (blocked.length === 0) return [];
  const found = await CancellationScope.nonCancellable(() => describeRunsInTheWay({ items: blocked }));
  const again: InsertToStart[] = [];
  for (const run of found) {
    const item = blocked.find(({ submissionId }) => submissionId === run.submissionId);
    if (!item) continue;
    const { submissionId } = item;
    if (run.kind === 'own') results.push(queued(submissionId, run.runId));
    else if (run.kind === 'other') results.push(alreadyQueued(submissionId, run.runId, run.jobState));
    else if (isLastTry) results.push(notStarted(submissionId, `${OTHERS_IN_THE_WAY} Retry it.`));
    else again.push(item);
  }
  return again;
}

function record(importId: number, { results }: Queuing): Promise<void> {
  return CancellationScope.nonCancellable(() => importRecords.recordQueueResults({ importId, results }));
}

/**
 * Starts an insert; `blocked` if a run of the product is in the way. Null after a cancellation: `cancelInserts` records
 * that, with the actor.
 */
async function startInsert(insert: InsertOfImport): Promise<InsertHandle | 'blocked' | null> {
  const { options, attributes } = insertStart(insert);
  try {
    return await startChild<typeof regulatorInsert>(WORKFLOW_TYPES.regulatorInsert, {
      ...options,
      ...childOptions(attributes),
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'blocked';
    if (isCancellation(error)) return null;
    throw error;
  }
}
