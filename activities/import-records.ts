/** Records of an import: the inserts to start, queue results, progress, its end, and the end of a message about it. */
import { plainReason } from '../src/contract/reasons.ts';
import { importFailureCode } from '../src/domain/client-errors.ts';
import type { ImportCounts } from '../src/domain/package-import.ts';
import { lateResult, type QueueResult, queued } from '../src/domain/queue.ts';
import type { InsertToStart } from '../src/domain/start-options.ts';
import { actor } from './activity-context.ts';
import type { ImportDependencies } from './dependencies.ts';
import { createPlanWebhooks } from './webhooks.ts';

export function createImportRecords(dependencies: ImportDependencies) {
  const { database, storage, findConflictingRuns } = dependencies;
  const planWebhooks = createPlanWebhooks(dependencies);
  return {
    /**
     * Returns the submissions of a batch to start: all except the inserted ones and those refused for good. A
     * submission that ended without a queue result, because the run that started it was ended first, gets its result
     * now.
     */
    async planInserts(args: {
      importId: number;
      batch: number;
      retryFailed: boolean;
    }): Promise<InsertToStart[]> {
      const items = await database.queue.batch(args.importId, args.batch);
      const toStart = items.filter(
        ({ status, hasResult }) =>
          status === 'regulator_inserting' ||
          (status === 'local' && !hasResult) ||
          (status === 'regulator_insert_failed' && args.retryFailed),
      );
      const ended = items.filter((item) => !item.hasResult && !toStart.includes(item));
      const results = ended.flatMap(({ submissionId, jobId }) => (jobId ? queued(submissionId, jobId) : []));
      await database.queue.recordResults(args.importId, results, actor());
      return toStart.map(({ submissionId, productId }) => ({ submissionId, productId }));
    },

    /** Recorded histories have this name. */
    describeRunsInTheWay: ({ items }: { items: InsertToStart[] }) => findConflictingRuns(items),

    recordQueueResults: ({ importId, results }: { importId: number; results: QueueResult[] }) =>
      database.queue.recordResults(importId, results, actor()),

    /**
     * Gives up a batch that cannot queue its products: products without a begun insert get the reason as their result.
     */
    async giveUpBatch(args: { importId: number; batch: number; reason: string }): Promise<void> {
      const { importId, batch, reason } = args;
      const items = await database.queue.batch(importId, batch);
      const results = items.map((item) => lateResult(item, reason));
      await database.queue.recordResults(importId, results, actor());
    },

    /** Records the end of queuing. Returns the counts so far. */
    async finishQueuing({ importId }: { importId: number }): Promise<ImportCounts> {
      await database.imports.markQueued(importId);
      return database.reports.counts(importId);
    },

    insertProgress: ({ importId, batch }: { importId: number; batch?: number }) =>
      database.queue.progress(importId, batch),

    /**
     * Records the end of a run that was ended from outside and could not record it itself. After a reset, the new run
     * may not have begun yet. It is recorded as expected, so that the insert does not count as ended.
     */
    async recordLostRun(args: {
      submissionId: number;
      productId: string;
      runId: string;
      reason: string;
    }): Promise<void> {
      const { submissionId, productId, runId, reason } = args;
      const [now] = await findConflictingRuns([{ submissionId, productId }]);
      if (now?.kind === 'own' && now.runId !== runId)
        await database.insertRuns.recordStart(submissionId, now.runId, actor());
      else await database.insertRuns.fail(submissionId, runId, [plainReason(reason)], actor());
    },

    /** Whether a summary is to be sent. An import without recipients does not wait for the mail server. */
    summaryIsDue: ({ importId }: { importId: number }) => database.notifications.isDue(importId),

    /** Ends a retry whose workflow an operator cancelled, or that a stopped run over failures has begun. */
    giveUpRetry: ({ retryUuid }: { retryUuid: string }) =>
      database.importRetries.giveUp(retryUuid, 'The retry was cancelled.', actor()),

    /** Ends a delivery after its last attempt, or one that can never succeed. */
    giveUpWebhook: ({ deliveryUuid, reason }: { deliveryUuid: string; reason: string }) =>
      database.webhookDeliveries.giveUp(deliveryUuid, reason),

    /**
     * @param args.type name of the failure
     * @returns uuids of the webhook deliveries to start
     */
    async failImport(args: {
      importId: number;
      reason: string;
      type: string;
    }): Promise<{ webhooks: string[] }> {
      const { importId, reason, type } = args;
      await database.imports.fail(importId, { reason, code: importFailureCode(type) }, actor());
      await freeKey(importId);
      const counts = await database.reports.counts(importId);
      return { webhooks: await planWebhooks(importId, counts) };
    },

    /** Ends the import. Returns the counts, and the uuids of the webhook deliveries to start. */
    async completeImport({ importId, cancelled }: { importId: number; cancelled: boolean }) {
      await database.imports.complete(importId, cancelled ? 'cancelled' : 'completed', actor());
      const counts = await database.reports.counts(importId);
      return { ...counts, webhooks: await planWebhooks(importId, counts) };
    },
  };

  /**
   * A client may send the package again under the same key after a failure that is not the package's. The package is
   * removed at once when the storage was full.
   */
  async function freeKey(importId: number): Promise<void> {
    const record = await database.imports.find(importId);
    if (record?.status !== 'failed' || record.failureCode === 'invalid_package') return;
    await database.idempotency.forget(importId);
    if (record.failureCode !== 'storage_full') return;
    await database.retention.markRemoved(importId, actor());
    await storage.remove(record.storageKey);
  }
}
