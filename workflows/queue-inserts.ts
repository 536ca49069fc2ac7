/**
 * Queues a batch of submissions as `regulator-insert` children. It tolerates resets (decision §resets-are-normal): it
 * waits for a running child of the same submission, and skips inserted submissions.
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
import { describeRunsInTheWay, records } from './activity-proxies.ts';
import { awaitInserts, type Child, type InsertHandle, type UntilEnded } from './await-inserts.ts';
import { childOptions } from './child-options.ts';
import { type PackageImportBatchInput, WORKFLOW_TYPES } from './messages.ts';
import type { regulatorInsert } from './regulator-insert.ts';

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
 * starts.
 */
export async function queueInserts(
  input: PackageImportBatchInput,
  { onEnd, fairness, startsAtOnce = Number.POSITIVE_INFINITY }: Queue,
): Promise<UntilEnded> {
  const { importId, batch, resumed = false } = input;
  const children: Child[] = [];
  const results: QueueResult[] = [];
  let waiting = await records.planInserts({ importId, batch, retryFailed: !resumed });
  for (let tries = 1; waiting.length > 0; tries += 1) {
    const blocked = await startAll(waiting);
    waiting = await classify(blocked, tries === START_TRIES);
  }
  await CancellationScope.nonCancellable(() => records.recordQueueResults({ importId, results }));
  return awaitInserts(input, children, onEnd);

  /** Starts inserts in groups, and returns those with a run of their product in the way. */
  async function startAll(items: InsertToStart[]): Promise<InsertToStart[]> {
    const blocked: InsertToStart[] = [];
    const startOne = async (item: InsertToStart) => {
      const started = await startInsert({ importId, fairness, ...item });
      if (started === 'blocked') blocked.push(item);
      else if (started !== null) {
        children.push({ item, handle: started });
        results.push(queued(item.submissionId, started.firstExecutionRunId));
      }
    };
    for (let from = 0; from < items.length; from += startsAtOnce)
      await Promise.all(items.slice(from, from + startsAtOnce).map(startOne));
    return blocked;
  }

  /** Looks up the runs in the way, and returns the inserts that can start because such a run has ended. */
  async function classify(blocked: InsertToStart[], isLastTry: boolean): Promise<InsertToStart[]> {
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
