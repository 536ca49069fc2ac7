/**
 * Queues a batch of submissions as `regulator-insert` children. It tolerates resets (decision §resets-are-normal): it
 * waits for a running child of the same submission, and skips inserted submissions.
 */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import {
  alreadyQueued,
  CONFLICTING_INSERTS,
  notStarted,
  type QueueResult,
  queued,
  START_ATTEMPTS,
} from '../src/domain/queue.ts';
import { type Fairness, type InsertToStart, insertStart } from '../src/domain/start-options.ts';
import { describeRunsInTheWay, records } from './activity-proxies.ts';
import { awaitInserts, type Child, type UntilEnded } from './await-inserts.ts';
import { type PackageImportBatchInput, WORKFLOW_TYPES } from './messages.ts';
import type { regulatorInsert } from './regulator-insert.ts';
import { startUnlessRunning } from './start-child.ts';

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
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    const blocked = await startAll(waiting);
    waiting = await classify(blocked, attempt === START_ATTEMPTS);
  }
  await CancellationScope.nonCancellable(() => records.recordQueueResults({ importId, results }));
  return awaitInserts(input, children, onEnd);

  /** Starts inserts in groups, and returns those with a conflicting run. */
  async function startAll(items: InsertToStart[]): Promise<InsertToStart[]> {
    const blocked: InsertToStart[] = [];
    const startOne = async (item: InsertToStart) => {
      const { options, attributes } = insertStart({ importId, fairness, ...item });
      try {
        const handle = await startUnlessRunning<typeof regulatorInsert>(
          WORKFLOW_TYPES.regulatorInsert,
          attributes,
          options,
        );
        if (handle === null) blocked.push(item);
        else {
          children.push({ item, handle });
          results.push(queued(item.submissionId, handle.firstExecutionRunId));
        }
      } catch (error) {
        // The activity `cancelInserts` records it, with the actor of the cancellation.
        if (!isCancellation(error)) throw error;
      }
    };
    for (let from = 0; from < items.length; from += startsAtOnce)
      await Promise.all(items.slice(from, from + startsAtOnce).map(startOne));
    return blocked;
  }

  /** Looks up the conflicting runs, and returns the inserts that can start because such a run has ended. */
  async function classify(blocked: InsertToStart[], isLastAttempt: boolean): Promise<InsertToStart[]> {
    if (blocked.length === 0) return [];
    const found = await CancellationScope.nonCancellable(() => describeRunsInTheWay({ items: blocked }));
    const again: InsertToStart[] = [];
    for (const run of found) {
      const item = blocked.find(({ submissionId }) => submissionId === run.submissionId);
      if (!item) continue;
      const { submissionId } = item;
      if (run.kind === 'own') results.push(queued(submissionId, run.runId));
      else if (run.kind === 'other') results.push(alreadyQueued(submissionId, run.runId, run.jobState));
      else if (isLastAttempt) results.push(notStarted(submissionId, `${CONFLICTING_INSERTS} Retry it.`));
      else again.push(item);
    }
    return again;
  }
}
