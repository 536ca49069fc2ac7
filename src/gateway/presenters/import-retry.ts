/** The answer about the retry of an import. */

import { count } from '../../common/text.ts';
import type { ImportRetry } from '../../contract/schemas/import-retry.ts';
import type { ImportRetryRow } from '../../database/entities/queue-result.ts';
import type { RetriedResult, RetryCounts } from '../../database/repositories/import-retries.ts';
import { presentQueueResult } from './submission.ts';

export interface RetryPage {
  retry: ImportRetryRow;
  counts: RetryCounts;
  /** Up to `limit + 1`, to see whether there are more. */
  results: RetriedResult[];
  comment: string | null;
}

/** The answer if the import has nothing to retry. */
export const NOTHING_RETRIED: ImportRetry = {
  queued_count: 0,
  failed_count: 0,
  pending_count: 0,
  results: [],
  next_after: null,
  requested_by: null,
  requested_at: null,
  ended_at: null,
};

/** @param after ID of the last submission before the page; 0 for the first page */
export function presentRetry(
  { retry, counts, results, comment }: RetryPage,
  { limit, after }: { limit: number; after: number },
): ImportRetry {
  const page = results.slice(0, limit);
  const isLast = results.length <= limit && counts.pending === 0;
  return {
    queued_count: counts.queued,
    failed_count: counts.failed,
    pending_count: counts.pending,
    results: page.map(({ submissionId, productId, ...result }) => ({
      ...presentQueueResult({ ...result, submission: submissionId }, comment),
      product_id: productId,
    })),
    next_after: isLast ? null : (page.at(-1)?.submissionId ?? after),
    requested_by: retry.requestedBy,
    requested_at: retry.requestedAt.toISOString(),
    ended_at: retry.endedAt?.toISOString() ?? null,
  };
}

export function retryMessage(importId: number, { queued, failed, pending }: RetryCounts): string {
  const all = count(queued + failed + pending, 'product');
  const left = pending > 0 ? `, ${pending} pending` : '';
  return `Retry of package import ${importId} (${all}): ${queued} queued, ${failed} not queued${left}.`;
}
