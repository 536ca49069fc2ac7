/** Counts statistics (`activities/count-days.ts`), every five minutes by a schedule. */
import { setCurrentDetails } from '@temporalio/workflow';
import { counting } from './activity-proxies.ts';

/** Returns the number of counted days. */
export async function statistics(): Promise<number> {
  const days = await counting.countDays();
  setCurrentDetails(`Counted ${days} days.`);
  return days;
}
