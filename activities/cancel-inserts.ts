/** Cancels the batches and inserts of an import that are not children of its present run. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { BATCH_SIZE } from '../src/domain/package-import.ts';
import type { ImportDependencies } from './dependencies.ts';

/** Inserts that one try cancels. */
const PAGE = 500;
/** Cancellation requests at the same time. */
const AT_ONCE = 10;

export function createCancelInserts({ database, importWorkflows, insertWorkflows }: ImportDependencies) {
  /**
   * Requests the cancellation of the batches of a cancelled import, which cancel their inserts. Then requests it for
   * inserts whose batch has ended.
   *
   * @throws ApplicationFailure while a batch or insert of the import runs: Temporal tries again
   */
  return async function cancelInserts(args: { importId: number; importUuid: string }): Promise<void> {
    const { importId, importUuid } = args;
    const { created } = await database.extraction.counts(importId);
    const batches = Math.ceil(created / BATCH_SIZE);
    const running = await importWorkflows.cancelBatches(importUuid, batches);
    if (running > 0) throw stillRunning(`${running} batches`);
    const inserts = await database.queue.inserting(importId, PAGE);
    for (let at = 0; at < inserts.length; at += AT_ONCE)
      await Promise.all(
        inserts
          .slice(at, at + AT_ONCE)
          .map(({ productId, runId }) => insertWorkflows.cancel(productId, runId)),
      );
    if (inserts.length > 0) throw stillRunning(`${inserts.length} inserts`);
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
