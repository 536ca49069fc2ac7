/** What an import has begun and its present run is not the parent of: it is not cancelled with it. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { BATCH_SIZE } from '../src/domain/package-import.ts';
import type { ImportDependencies } from './dependencies.ts';

/** Inserts that are asked to end in one try. */
const PAGE = 500;
/** At the same time. */
const AT_ONCE = 10;

export function createCancelInserts({ database, importWorkflows, insertWorkflows }: ImportDependencies) {
  /**
   * Asks the batches of a cancelled import to end, which ask their inserts, and then inserts whose batch is gone.
   *
   * @throws ApplicationFailure while anything of it runs: to be tried again
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

/** No failure of ours: told, and not counted as one. */
function stillRunning(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'StillRunning',
    message: `Waiting for ${what} to end`,
    category: ApplicationFailureCategory.BENIGN,
  });
}
