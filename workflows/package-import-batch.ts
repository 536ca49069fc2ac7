/**
 * One batch of a large import: a workflow between the import and its inserts, so that no history has more than a few
 * hundred children (decision §batches). The import starts it in `run-batches.ts`.
 */
import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { batchQueued, type PackageImportBatchInput } from './messages.ts';
import { queueInserts } from './queue-inserts.ts';

/**
 * Inserts that a batch starts concurrently. A batch records each start, one after the other: with hundreds of
 * concurrent starts Temporal delays some for seconds.
 */
const STARTS_AT_ONCE = 50;

/**
 * Queues the products of the batch, signals the import, and waits until every insert has ended. A cancelled batch waits
 * as well: Temporal drops the cancellations that a closed run has requested.
 */
export async function packageImportBatch(input: PackageImportBatchInput): Promise<void> {
  const untilEnded = await queueInserts(input, {
    onEnd: showProgressOf(input),
    startsAtOnce: STARTS_AT_ONCE,
  });
  await signalImport(input);
  try {
    await untilEnded();
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(untilEnded);
    throw error;
  }
}

function showProgressOf({ batch }: PackageImportBatchInput): () => void {
  let ended = 0;
  return () => {
    ended += 1;
    setCurrentDetails(`${ended} inserts of batch ${batch} have ended.`);
  };
}

/** Signals the import. The signal may be lost with an ended or reset import: the import also queries the database. */
async function signalImport({ batch }: PackageImportBatchInput): Promise<void> {
  const { parent } = workflowInfo();
  if (!parent) return;
  await getExternalWorkflowHandle(parent.workflowId)
    .signal(batchQueued, { batch })
    .catch(() => {});
}
