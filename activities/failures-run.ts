/** The steps of a run over the failed products of many imports (decision §retries-are-recorded). */
import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { CANCEL_ACTION } from '../src/contract/statuses.ts';
import { ImportActionNotAvailable } from '../src/domain/client-errors.ts';
import type { FailuresDone, FailuresRunInput } from '../src/domain/failures-run.ts';
import { heartbeating } from './activity-context.ts';
import type { ImportDependencies } from './dependencies.ts';

const LOOK_MS = 500;

export function createFailuresRun({ database, importWorkflows, retryWorkflows }: ImportDependencies) {
  const { imports, importRetries } = database;
  return {
    /** Acts on the next import as its own routes do, and waits until its retry has ended. Null at the end. */
    actOnNextImport: (input: FailuresRunInput & FailuresDone): Promise<FailuresDone | null> =>
      heartbeating(async () => {
        const open = input.action === CANCEL_ACTION;
        const [after] = await database.failures.imports({ ...input, open }, { after: input.after, limit: 1 });
        if (after === undefined) return null;
        const acted = open ? await cancel(after, input) : await retry(after, input);
        return { after, imports: input.imports + 1, products: input.products + acted };
      }),
  };

  /** Returns the number of products that were queued. */
  async function retry(importId: number, { filter, clientId, actor }: FailuresRunInput): Promise<number> {
    const begun = await importRetries
      .begin({ importId, clientId, actor, only: filter })
      .catch(ignoreNotAvailable);
    if (!begun) return 0;
    const { uuid, endedAt, requestedBy } = begun;
    if (endedAt == null) await retryWorkflows.start({ importId, retryUuid: uuid, clientId: begun.clientId });
    const { cancellationSignal: signal } = Context.current();
    try {
      while (await importRetries.open(uuid)) await pause(LOOK_MS, undefined, { signal });
    } catch (error) {
      const isStopped = Context.current().cancellationDetails?.cancelRequested;
      if (isStopped && requestedBy === actor)
        await importRetries.giveUp(importId, uuid, 'The run over failures was stopped.', actor);
      throw error;
    }
    return (await importRetries.counts(importId)).queued;
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
