/** Workflows of one activity: dry runs, retries, and those that schedules start (`src/temporal/schedules.ts`). */

import { CancellationScope, isCancellation, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import {
  applyRetention,
  checkPackage,
  countDays,
  keepSessionAlive,
  records,
  reconcile as repairRecords,
  retryProducts,
  sendDigests,
} from './activity-proxies.ts';
import { activityResult } from './failures.ts';
import type { PackageCheckInput, PackageImportRetryInput } from './messages.ts';

/** A dry run: reads a package like an import and creates nothing. */
export async function packageCheck(input: PackageCheckInput): Promise<{ products: number }> {
  return checkPackage(input);
}

/**
 * A retry of an import: starts its products in pages, each as a single retry would
 * (decision §retries-are-recorded). It does not wait for the inserts, nor depend on the client that requested it.
 */
export async function packageImportRetry(input: PackageImportRetryInput) {
  try {
    for (;;) {
      const progress = await activityResult(retryProducts(input));
      setCurrentDetails(
        `${progress.queued} queued, ${progress.failed} not queued, ${progress.pending} pending.`,
      );
      if (progress.pending === 0) return progress;
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => records.giveUpRetry(input));
    throw error;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Runs the reconciler (`activities/reconcile.ts`) and renews the session, twice a minute. A regulator without an answer
 * does not stop the reconciler, and shows as a failed run.
 */
export async function reconcile() {
  const [repaired, kept] = await Promise.allSettled([repairRecords(), keepSessionAlive()]);
  if (repaired.status === 'rejected') throw repaired.reason;
  if (kept.status === 'rejected') throw kept.reason;
  const { failed, repeated, resumed } = repaired.value;
  if (failed.length + repeated.length + resumed.length > 0) {
    const list = (ids: number[]) => ids.join(', ') || 'none';
    setCurrentDetails(
      `Repaired submissions: ${list([...failed, ...repeated])}. Resumed imports: ${list(resumed)}.`,
    );
  }
  return repaired.value;
}

/** Runs retention (`activities/retention.ts`), every night. */
export async function retention() {
  const result = await applyRetention();
  const { packages, attachments, orphans, checks, leftovers, unknown } = result;
  const kept =
    unknown > 0
      ? ` Kept ${unknown} files that the database does not know: it knows too few of the archive to be its database.`
      : '';
  setCurrentDetails(
    `Removed ${packages} packages with their raw XML, ${attachments} attachments, ${orphans} packages without an import, ${checks} reports of dry runs, ${leftovers} incomplete files.${kept}`,
  );
  return result;
}

/** Counts statistics (`activities/count-days.ts`), every five minutes. Returns the number of counted days. */
export async function statistics(): Promise<number> {
  const days = await countDays();
  setCurrentDetails(`Counted ${days} days.`);
  return days;
}

/**
 * Sends one mail per client about its imports of the day before its schedule started it, every morning (decision §mails).
 * A late worker and a reset do not change the day.
 */
export async function mailDigests() {
  const day = new Date(workflowInfo().startTime.getTime() - DAY_MS).toISOString().slice(0, 10);
  const result = await sendDigests({ day });
  setCurrentDetails(`Digests of ${day}: ${result.sent} sent, ${result.refused} refused by the mail server.`);
  return result;
}
