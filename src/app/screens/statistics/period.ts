/** Days of the plots: UTC, as the service counts them. */
import type { components } from '../../api/generated/api.d.ts';

export type Line = components['schemas']['DayOfClient'];

const DAY_MS = 86_400_000;

export const PERIODS = [
  { days: 7, label: 'Last 7 days' },
  { days: 30, label: 'Last 30 days' },
  { days: 90, label: 'Last 90 days' },
  { days: 365, label: 'Last year' },
] as const;

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** As many days, the last of which is today. */
export function lastDays(count: number, now = new Date()): { from: string; to: string } {
  return { from: dayOf(new Date(now.getTime() - (count - 1) * DAY_MS)), to: dayOf(now) };
}

/** Every day of a period in its order, both ends included: days without an import have no line of their own. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) days.push(dayOf(new Date(at)));
  return days;
}
