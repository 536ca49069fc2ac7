/** Runs the failed and unqueued products of an import again, in pages (decision §retries-are-recorded). */
import { Context } from '@temporalio/activity';
import type { RetryCounts, ToRetry } from '../src/database/repositories/import-retries.ts';
import { DomainError } from '../src/domain/errors.ts';
import { notStarted, type QueueResult } from '../src/domain/queue.ts';
import { fairnessOfClient, fairnessOfInserts } from '../src/domain/start-options.ts';
import { heartbeating } from './activity-context.ts';
import type { ImportDependencies } from './dependencies.ts';

/** Products per activity. */
const RETRY_PAGE = 100;
/** Inserts started at the same time; their results are recorded together. */
const AT_ONCE = 10;
/**
 * Attempts of a page, after which a product that cannot be started is given up. It must not block the others for ever.
 */
const ATTEMPTS = 10;
const NOT_STARTED = 'An internal error of the service prevented the start. Retry it.';

type Started = { result: QueueResult } | { failure: unknown };

export function createRetryProducts({ database: { importRetries }, startInsert }: ImportDependencies) {
  /**
   * Records every result before it begins further products. A lost attempt repeats at most ten products. A retry that is
   * given up stops within ten products.
   */
  return async function retryProducts(args: { importId: number; retryUuid: string }): Promise<RetryCounts> {
    const { importId, retryUuid } = args;
    const retry = await importRetries.open(retryUuid);
    if (!retry) return { ...(await importRetries.counts(importId)), pending: 0 };
    const before = await importRetries.counts(importId);
    const { fairnessKey } = fairnessOfClient(retry.clientId).priority;
    const fairness = fairnessOfInserts(fairnessKey, before.queued + before.failed + before.pending);
    /** Starts a product. Without a result, another attempt starts it. */
    const start = async ({ submissionId, productId, tried }: ToRetry): Promise<Started> => {
      try {
        const insert = { importId, submissionId, productId, fairness };
        return { result: await startInsert(insert, retry.requestedBy, tried) };
      } catch (failure) {
        return isGivenUp(failure) ? { result: notStarted(submissionId, NOT_STARTED) } : { failure };
      }
    };
    await heartbeating(async (report) => {
      const page = await importRetries.take(retryUuid, RETRY_PAGE);
      for (let at = 0; at < page.length; at += AT_ONCE) {
        Context.current().cancellationSignal.throwIfAborted();
        // The retry was given up meanwhile, with its import.
        if (!(await importRetries.open(retryUuid))) break;
        const some = page.slice(at, at + AT_ONCE);
        const started = await Promise.all(some.map(start));
        const results = started.flatMap((one) => ('result' in one ? one.result : []));
        await importRetries.recordResults(retryUuid, results);
        report(at + some.length);
        for (const one of started) if ('failure' in one) throw one.failure;
      }
    });
    const progress = await importRetries.counts(importId);
    if (progress.pending === 0) await importRetries.end(retryUuid);
    return progress;
  };
}

/** Whether another attempt cannot help. */
function isGivenUp(failure: unknown): boolean {
  const cannotHelp = failure instanceof DomainError && failure.permanent;
  return cannotHelp || Context.current().info.attempt >= ATTEMPTS;
}
