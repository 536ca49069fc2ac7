/** Run by a schedule, twice a minute; see `activities/reconcile.ts` for what it heals. */
import { setCurrentDetails } from '@temporalio/workflow';
import type { ReconcileResult } from '../activities/index.ts';
import { upkeep } from './activity-proxies.ts';

export async function reconcile(): Promise<ReconcileResult> {
  await upkeep.keepSessionAlive();
  const result = await upkeep.reconcile();
  const { failed, resumed } = result;
  if (failed.length + resumed.length > 0) {
    setCurrentDetails(
      `Healed submissions ${failed.join(', ') || 'none'}; resumed imports ${resumed.join(', ') || 'none'}.`,
    );
  }
  return result;
}
