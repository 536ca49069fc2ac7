/** Runs the reconciler (`activities/reconcile.ts`), twice a minute by a schedule. */
import { setCurrentDetails } from '@temporalio/workflow';
import type { ReconcileResult } from '../activities/index.ts';
import { upkeep } from './activity-proxies.ts';

export async function reconcile(): Promise<ReconcileResult> {
  const result = await healAndKeepAlive();
  const { failed, repeated, resumed } = result;
  if (failed.length + repeated.length + resumed.length > 0) {
    const list = (ids: number[]) => ids.join(', ') || 'none';
    setCurrentDetails(
      `Healed submissions ${list([...failed, ...repeated])}; resumed imports ${list(resumed)}.`,
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
