/** Cancels the batches and inserts of an import, and records why its other products are not queued. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { BATCH_SIZE } from '../src/domain/package-import.ts';
import { importCancelled, lateResult } from '../src/domain/queue.ts';
import { actor } from './activity-context.ts';
import { forEachConcurrent } from './batching.ts';
import type { ImportDependencies } from './dependencies.ts';

/** Inserts that one attempt cancels. */
const CANCEL_PAGE = 500;

export function createCancelInserts({ database, importWorkflows, insertWorkflows }: ImportDependencies) {
  /**
   * Requests the cancellation of the batches of a cancelled import, which cancel the inserts that they have started.
   * Also requests it for inserts by their records: a batch that has ended, a reset or a retry may have started them.
   * After their ends, the products that were not queued get their result, with the actor of the cancellation.
   *
   * @throws ApplicationFailure while a batch or insert of the import runs: Temporal tries again
   */
  return async function cancelInserts(args: { importId: number; importUuid: string }): Promise<void> {
    const { importId, importUuid } = args;
    const { created } = await database.reports.counts(importId);
    const batches = Math.ceil(created / BATCH_SIZE);
    const running = await importWorkflows.cancelBatches(importUuid, batches);
    const inserts = await database.queue.inserting(importId, CANCEL_PAGE);
    await forEachConcurrent(inserts, ({ productId, runId }) => insertWorkflows.cancel(productId, runId));
    if (running > 0) throw stillRunning(`${running} batches`);
    if (inserts.length > 0) throw stillRunning(`${inserts.length} inserts`);
    const reason = importCancelled((await database.imports.find(importId))?.cancelledBy ?? null);
    const left = await database.queue.unqueuedSubmissions(importId);
    const results = left.map((item) => lateResult(item, reason));
    await database.queue.recordResults(importId, results, actor());
  };
}

/** A benign failure: it is shown, and not counted as an error. */
function stillRunning(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'StillRunning',
    message: `Waiting for ${what} to end`,
    category: ApplicationFailureCategory.BENIGN,
  });
}
