/** Workflows of one activity: dry runs, retries, and those that schedules start (`src/temporal/schedules.ts`). */

import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { DigestResult, ReconcileResult, RetentionResult, RetryCounts } from '../activities/index.ts';
import type { FailuresDone, FailuresRunInput, FailuresRunMemo } from '../src/domain/failures-run.ts';
import {
  checking,
  counting,
  digests,
  failing,
  housekeeping,
  importRecords,
  retrying,
  upkeep,
} from './activity-proxies.ts';
import type { PackageCheckInput, PackageImportRetryInput } from './messages.ts';

/** A dry run: reads a package like an import and creates nothing. */
export async function packageCheck(input: PackageCheckInput): Promise<{ products: number }> {
  return checking.checkPackage(input);
}

/**
 * A retry of an import: starts its products in pages, each as a single retry would
 * (decision §retries-are-recorded). It does not wait for the inserts, nor depend on the client that requested it.
 */
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

/** A run over the failed products of many imports, one import after the other. Its memo has the progress. */
export async function failuresRun(input: FailuresRunInput): Promise<FailuresDone> {
  let done = input.done ?? { after: 0, imports: 0, products: 0 };
  for (;;) {
    const next = await failing.actOnNextImport({ ...input, ...done });
    if (next === null) return done;
    done = next;
    const { imports: done_imports, products: done_products } = done;
    upsertMemo({ done_imports, done_products } satisfies Partial<FailuresRunMemo>);
    setCurrentDetails(`${done_imports} imports done, ${done_products} products.`);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof failuresRun>({ ...input, done });
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Runs the reconciler (`activities/reconcile.ts`), twice a minute. */
export async function reconcile(): Promise<ReconcileResult> {
  const result = await healAndKeepAlive();
  const { failed, repeated, resumed } = result;
  if (failed.length + repeated.length + resumed.length > 0) {
    const list = (ids: number[]) => ids.join(', ') || 'none';
    setCurrentDetails(
      `Repaired submissions: ${list([...failed, ...repeated])}. Resumed imports: ${list(resumed)}.`,
    );
  }
  return result;
}

/** Runs both concurrently: a regulator without an answer does not stop the reconciler, and shows as a failed run. */
async function healAndKeepAlive(): Promise<ReconcileResult> {
  const [healed, kept] = await Promise.allSettled([upkeep.reconcile(), upkeep.keepSessionAlive()]);
  if (healed.status === 'rejected') throw healed.reason;
  if (kept.status === 'rejected') throw kept.reason;
  return healed.value;
}

/** Runs retention (`activities/retention.ts`), every night. */
export async function retention(): Promise<RetentionResult> {
  const result = await housekeeping.applyRetention();
  const { packages, attachments, orphans, checks, leftovers } = result;
  setCurrentDetails(
    `Removed ${packages} packages with their raw XML, ${attachments} attachments, ${orphans} packages without an import, ${checks} reports of dry runs, ${leftovers} incomplete files.`,
  );
  return result;
}

/** Counts statistics (`activities/count-days.ts`), every five minutes. Returns the number of counted days. */
export async function statistics(): Promise<number> {
  const days = await counting.countDays();
  setCurrentDetails(`Counted ${days} days.`);
  return days;
}

/** Sends one mail per client about its imports of the previous day, every morning (decision §mails). */
export async function mailDigests(): Promise<DigestResult> {
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
  const result = await digests.sendDigests({ day });
  setCurrentDetails(`Digests of ${day}: ${result.sent} sent, ${result.refused} refused by the mail server.`);
  return result;
}
