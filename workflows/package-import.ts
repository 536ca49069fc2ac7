/**
 * One uploaded package, from its ZIP to its summary e-mail: read, queue one insert per product, answer the upload,
 * wait for every insert, send the summary (architecture §one-upload).
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ImportCounts } from '../src/domain/package-import.ts';
import { IMPORT_CANCELLED } from '../src/domain/queue.ts';
import { fairnessOfInserts } from '../src/domain/start-options.ts';
import { cancelInserts, extractPackage, forgetPackage, records, sendSummary } from './activity-proxies.ts';
import type { UntilEnded } from './await-inserts.ts';
import { activityResult, rootCause } from './failures.ts';
import { type PackageImportInput, processPackage } from './messages.ts';
import { queueInserts } from './queue-inserts.ts';
import { runBatches } from './run-batches.ts';
import { startDeliveries } from './webhook-delivery.ts';

export async function packageImport(input: PackageImportInput): Promise<ImportCounts> {
  // Rejected with an ApplicationFailure only: any other error would retry the workflow task while the caller hangs
  // (decision §update-with-start).
  const answer = Promise.withResolvers<ImportCounts>();
  answer.promise.catch(() => {}); // An import may fail without a caller.
  setHandler(processPackage, () => answer.promise);
  let cancelled = false;
  try {
    const { created, batches } = await readPackage(input, answer.reject);
    const untilEnded = await queue(input, created, batches);
    answer.resolve(await finishQueuing(input));
    await untilEnded();
  } catch (error) {
    // After the reading the import has not failed: the reconciler starts it again. Its answer is unknown.
    if (!isCancellation(error)) throw failureBy(error);
    cancelled = true;
    answer.reject(failureOf(IMPORT_CANCELLED, 'ImportCancelled'));
    await cancelAllInserts(input);
  }
  return CancellationScope.nonCancellable(() => summarise(input, cancelled));
}

async function readPackage(input: PackageImportInput, reject: (failure: ApplicationFailure) => void) {
  setCurrentDetails('Reading the package.');
  try {
    return await activityResult(extractPackage({ importId: input.importId }));
  } catch (error) {
    if (!isCancellation(error)) await refuse(input, reject, error);
    throw error;
  }
}

/** Queues every product. */
function queue(input: PackageImportInput, created: number, batches: number): Promise<UntilEnded> {
  setCurrentDetails(`Queuing ${created} products.`);
  const fairness = fairnessOfInserts(workflowInfo().priority?.fairnessKey, created);
  return batches <= 1
    ? queueInserts({ ...input, batch: 1 }, { onEnd: showProgressOf(created), fairness })
    : runBatches(input, batches, fairness);
}

function showProgressOf(total: number): (inserted: boolean) => void {
  const ended = { inserted: 0, failed: 0 };
  return (inserted) => {
    ended[inserted ? 'inserted' : 'failed'] += 1;
    setCurrentDetails(`${ended.inserted} of ${total} inserted, ${ended.failed} failed.`);
  };
}

/** Records the end of queuing, also during a cancellation: queued products count. */
function finishQueuing({ importId }: PackageImportInput): Promise<ImportCounts> {
  return CancellationScope.nonCancellable(() => records.finishQueuing({ importId }));
}

/**
 * Cancels every batch and insert of the import that is under way, and waits for their ends. The cancellation of this run
 * reaches its children only, and no insert that an earlier run, a retry or a reset has started.
 */
async function cancelAllInserts({ importId, importUuid }: PackageImportInput): Promise<void> {
  await CancellationScope.nonCancellable(() => cancelInserts({ importId, importUuid }));
}

/** Sends the summary, whatever the results of the products. Then ends the import. */
async function summarise({ importId }: PackageImportInput, cancelled: boolean): Promise<ImportCounts> {
  const mailFailure = await mailSummary(importId, cancelled);
  const { webhooks, ...result } = await records.completeImport({ importId, cancelled });
  await startDeliveries(importId, webhooks);
  setCurrentDetails(
    `Finished: ${result.inserted} of ${result.created} inserted, ${result.insertFailed} failed.`,
  );
  await condition(allHandlersFinished);
  if (mailFailure !== null) {
    const { message, type } = rootCause(mailFailure);
    throw failureOf(`The summary e-mail was not sent: ${message}`, type);
  }
  return result;
}

/** Sends the summary if the import has recipients. Returns the failure; null for none. */
async function mailSummary(importId: number, cancelled: boolean): Promise<unknown> {
  try {
    if (await records.summaryIsDue({ importId })) await sendSummary({ importId, cancelled });
    return null;
  } catch (error) {
    return error;
  }
}

/**
 * Fails an import whose package cannot be read: answers with the reason, records it, mails it, and removes the
 * attachments of the package. The record of the notification says if the mail fails.
 */
function refuse(
  { importId }: PackageImportInput,
  reject: (failure: ApplicationFailure) => void,
  error: unknown,
): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    const { message, type } = rootCause(error);
    reject(failureOf(message, type));
    const { webhooks } = await records.failImport({ importId, reason: message, type });
    await startDeliveries(importId, webhooks);
    setCurrentDetails(`Failed: ${message}`);
    // Neither waits for the other: mail server and storage may be unavailable for days.
    await Promise.all([mailSummary(importId, false), forgetPackage({ importId })]);
    await condition(allHandlersFinished);
  });
}

function failureBy(error: unknown): ApplicationFailure {
  const { message, type } = rootCause(error);
  return failureOf(message, type);
}

function failureOf(message: string, type: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type, nonRetryable: true });
}
