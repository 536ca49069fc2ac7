/** Days and hours of the plots, in UTC. */
import type { StatisticsLine as Schema } from '../../../src/contract/types.ts';

export type Span = 'day' | 'hour';

export interface Line extends Omit<Schema, 'day' | 'begins_at'> {
  /** Its day or hour, as in `spansOf`, and its client. */
  id: string;
  /** Its day or hour, as in `spansOf`. */
  at: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Periods of up to three days are by hour: the service counts no earlier hours. */
export const PERIODS = [
  { days: 1, by: 'hour', label: 'Last 24 hours' },
  { days: 3, by: 'hour', label: 'Last 3 days' },
  { days: 7, by: 'day', label: 'Last 7 days' },
  { days: 30, by: 'day', label: 'Last 30 days' },
  { days: 90, by: 'day', label: 'Last 90 days' },
  { days: 365, by: 'day', label: 'Last year' },
] as const satisfies readonly { days: number; by: Span; label: string }[];

export type Period = (typeof PERIODS)[number];

/** The day `2026-01-31`, or the hour `2026-01-31T13:00Z`. */
const nameOf = (time: Date, by: Span): string =>
  by === 'day' ? dayOf(time) : `${time.toISOString().slice(0, 'yyyy-mm-ddThh'.length)}:00Z`;

const dayOf = (time: Date): string => time.toISOString().slice(0, 'yyyy-mm-dd'.length);

/** Without the marks of ISO 8601. */
export const readable = (at: string): string => at.replace('T', ' ').replace('Z', '');

/**
 * Every day or hour of a period, the current one last. Hours of three days begin with the day before yesterday.
 */
export function spansOf({ days, by }: Period, now = new Date()): string[] {
  const count = by === 'day' ? days : days * 24;
  const ms = by === 'day' ? DAY_MS : HOUR_MS;
  const spans = Array.from({ length: count }, (_, n) =>
    nameOf(new Date(now.getTime() - (count - 1 - n) * ms), by),
  );
  const first = dayOf(new Date(now.getTime() - (Math.max(days, 2) - 1) * DAY_MS));
  return spans.filter((at) => at >= first);
}

/** The day of a day or hour. */
export const dayIn = (at: string): string => at.slice(0, 'yyyy-mm-dd'.length);

export function lineOf({ day: _, begins_at, ...rest }: Schema, by: Span): Line {
  const at = nameOf(new Date(begins_at), by);
  return { ...rest, id: `${at} ${rest.client_id}`, at };
}
