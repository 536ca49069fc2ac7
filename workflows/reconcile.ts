/** Run by a schedule, twice a minute; see `activities/reconcile.ts` for what it heals. */
import { patched, setCurrentDetails } from '@temporalio/workflow';
import type { ReconcileResult } from '../activities/index.ts';
import { upkeep } from './activity-proxies.ts';

export async function reconcile(): Promise<ReconcileResult> {
  const result = patched('heal-without-a-regulator') ? await healAndKeepAlive() : await keepAliveThenHeal();
  const { failed, repeated = [], resumed } = result;
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

/** As it was before the patch; goes when no run from before is left to replay (docs/changing-workflows.md). */
async function keepAliveThenHeal(): Promise<ReconcileResult> {
  await upkeep.keepSessionAlive();
  return upkeep.reconcile();
}
