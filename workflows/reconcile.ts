/** Run by a schedule, twice a minute; see `activities/reconcile.ts` for what it heals. */
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

/** At the same time: a regulator that does not answer keeps nothing from being healed, and shows as a failed run. */
async function healAndKeepAlive(): Promise<ReconcileResult> {
  const [healed, kept] = await Promise.allSettled([upkeep.reconcile(), upkeep.keepSessionAlive()]);
  if (healed.status === 'rejected') throw healed.reason;
  if (kept.status === 'rejected') throw kept.reason;
  return healed.value;
}
