/** Run by a schedule, every five minutes; see `activities/count-days.ts` for what it counts. */
import { setCurrentDetails } from '@temporalio/workflow';
import { counting } from './activity-proxies.ts';

/** Returns how many days were counted. */
export async function statistics(): Promise<number> {
  const days = await counting.countDays();
  setCurrentDetails(`Counted ${days} days.`);
  return days;
}
