/** The workflows that schedules start (`src/temporal/schedules.ts`). */
import { setCurrentDetails } from '@temporalio/workflow';
import type { DigestResult, ReconcileResult, RetentionResult } from '../activities/index.ts';
import { counting, digests, housekeeping, upkeep } from './activity-proxies.ts';

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
