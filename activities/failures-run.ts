/** The steps of a run over the failed products of many imports (decision §retries-are-recorded). */
import { Context } from '@temporalio/activity';
import { CANCEL_ACTION } from '../src/contract/statuses.ts';
import type { ImportRetryRow } from '../src/database/entities/queue-result.ts';
import { ImportActionNotAvailable } from '../src/domain/client-errors.ts';
import type { FailuresAction, FailuresRunInput } from '../src/domain/failures-run.ts';
import { heartbeating } from './activity-context.ts';
import type { ImportDependencies } from './dependencies.ts';

export function createFailuresRun({ database, importWorkflows }: ImportDependencies) {
  const { imports, importRetries } = database;
  return {
    /**
     * Acts on the next import after this id as its own routes do. Null after the last.
     *
     * @param uuid of the retry that it may begin: a repeated attempt of this activity finds its own retry by it
     */
    actOnNextImport: (input: FailuresRunInput, after: number, uuid: string): Promise<FailuresAction | null> =>
      heartbeating(async () => {
        const begun = await importRetries.find(uuid);
        // An earlier attempt of this activity has begun the retry. The import may no longer match the filter.
        if (begun) return { importId: begun.packageImport, cancelled: 0, retry: await running(begun, uuid) };
        const open = input.action === CANCEL_ACTION;
        const importId = await database.failures.nextImport({ ...input, open }, after);
        if (importId === null) return null;
        Context.current().cancellationSignal.throwIfAborted();
        if (open) return { importId, cancelled: await cancel(importId, input), retry: null };
        return { importId, cancelled: 0, retry: await retry(importId, uuid, input) };
      }),

    /** Number of products that a retry has queued; null while it is under way. */
    async queuedByRetry({ importId, retryUuid }: { importId: number; retryUuid: string }) {
      if (await importRetries.open(retryUuid)) return null;
      return (await importRetries.counts(importId)).queued;
    },
  };

  async function retry(importId: number, uuid: string, { filter, clientId, actor }: FailuresRunInput) {
    const begun = await importRetries
      .begin({ importId, uuid, clientId, actor, only: filter })
      .catch(ignoreNotAvailable);
    // An ended retry of another request is joined only if it has left nothing to retry.
    if (!begun || begun.endedAt != null) return null;
    return running(begun, uuid);
  }

  /** Starts the workflow of a retry that has not ended. @param uuid of the retry that this run may begin */
  async function running(begun: ImportRetryRow, uuid: string) {
    if (begun.endedAt == null) await importWorkflows.retry(begun);
    return { retryUuid: begun.uuid, isOurs: begun.uuid === uuid };
  }

  /** Returns the number of products that are not inserted. */
  async function cancel(importId: number, { actor }: FailuresRunInput): Promise<number> {
    const record = await imports.find(importId);
    if (!record || !(await imports.requestCancel(importId, actor))) return 0;
    await importWorkflows.cancel(record.uuid);
    const { failed, inserting, local } = await database.queue.progress(importId);
    return failed + inserting + local;
  }
}

/** The import was cancelled meanwhile. */
function ignoreNotAvailable(error: unknown): null {
  if (error instanceof ImportActionNotAvailable) return null;
  throw error;
}
