/**
 * Running again what is left of an import: some products at a time, each as if it were run alone (decision
 * §retries-are-recorded). Whoever asked need not be there any more, and nobody waits here for the inserts themselves.
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
        `${progress.queued} queued again, ${progress.failed} not queued, ${progress.pending} left.`,
      );
      if (progress.pending === 0) return progress;
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => importRecords.giveUpRetry(input));
    throw error;
  }
}
