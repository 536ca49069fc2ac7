/** Names of statistics lines in `before` and `next_before`, and the days of an hourly query. */
import { day } from './common.ts';

const DAY_MS = 86_400_000;

/** The time span of a line. */
export type Span = 'day' | 'hour';

/** Characters of an ISO 8601 time that name its day or its hour. */
const NAMED_BY = { day: 'yyyy-mm-dd'.length, hour: 'yyyy-mm-ddThh'.length } satisfies Record<Span, number>;

/** `2026-01-31/client`, or `2026-01-31T13/client` for an hour. */
const LINE = /^(\d{4}-\d\d-\d\d)(?:T([01]\d|2[0-3]))?\/(.*)$/s;

interface Line {
  beginsAt: Date;
  clientId: string;
}

/** `2026-01-31` or `2026-01-31T13`, in UTC. */
export const named = (time: Date, span: Span) => time.toISOString().slice(0, NAMED_BY[span]);

export function nameOf({ beginsAt, clientId }: Line, span: Span): string {
  return `${named(beginsAt, span)}/${clientId}`;
}

export const isLineName = (text: string) => day.safeParse(LINE.exec(text)?.[1]).success;

export function lineNamed(name: string): Line {
  const [, day = '', hour = '00', clientId = ''] = LINE.exec(name) ?? [];
  return { beginsAt: new Date(`${day}T${hour}:00:00Z`), clientId };
}

/** The days of an hourly query: today if it names none. */
export function daysOfHours(from: string | undefined, to: string | undefined): { from: string; to: string } {
  const last = to ?? from ?? named(new Date(), 'day');
  return { from: from ?? last, to: last };
}

export const daysBetween = ({ from, to }: { from: string; to: string }) =>
  (Date.parse(to) - Date.parse(from)) / DAY_MS;
