/**
 * A retry of an import: starts its products in pages, each as a single retry would
 * (decision §retries-are-recorded). It does not wait for the inserts, nor depend on the client that requested it.
 */
import { CancellationScope, isCancellation, setCurrentDetails } from '@temporalio/workflow';
import type { RetryCounts } from '../activities/index.ts';
import { importRecords, retrying } from './activity-proxies.ts';
import type { PackageImportRetryInput } from './messages.ts';

export async function packageImportRetry(input: PackageImportRetryInput): Promise<RetryCounts> {
  try {
    for (;;) {
      const progress = await retrying.retryProducts(input);
      setCurrentDetails(
        `${progress.queued} queued, ${progress.failed} not queued, ${progress.pending} pending.`,
      );
      if (progress.pending === 0) return progress;
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => importRecords.giveUpRetry(input));
    throw error;
  }
}
