/** Dates and years in the forms found in real files, normalized to the schema's (package format §6). */
import type { Lexical } from './reading.ts';

const ZONE = '(?:Z|[+-]\\d{2}:\\d{2})?';
const XS_DATE = new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})${ZONE}$`);
const XS_YEAR = new RegExp(`^(\\d{4})${ZONE}$`);

/** Other unambiguous forms: year first, or day first with dots. */
const OTHER_DATES: readonly { form: RegExp; order: readonly ['y' | 'd', 'm', 'y' | 'd'] }[] = [
  { form: new RegExp(`^(\\d{4})-(\\d{1,2})-(\\d{1,2})${ZONE}$`), order: ['y', 'm', 'd'] },
  { form: /^(\d{4})-(\d{2})-(\d{2})T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?$/, order: ['y', 'm', 'd'] },
  { form: /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/, order: ['y', 'm', 'd'] },
  { form: /^(\d{4})(\d{2})(\d{2})$/, order: ['y', 'm', 'd'] },
  { form: /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/, order: ['d', 'm', 'y'] },
];

export function readDate(value: string): Lexical<string> {
  const expected = 'a date (YYYY-MM-DD)';
  const plain = XS_DATE.exec(value);
  if (plain) {
    const day = calendarDay(plain[1], plain[2], plain[3]);
    return day === null ? { expected } : { ok: day };
  }
  for (const { form, order } of OTHER_DATES) {
    const match = form.exec(value);
    if (!match) continue;
    const [first, month, last] = match.slice(1);
    const day = order[0] === 'y' ? calendarDay(first, month, last) : calendarDay(last, month, first);
    if (day !== null) return { ok: day, remark: `was read as ${day}; expected YYYY-MM-DD` };
  }
  return { expected };
}

export function readYear(value: string): Lexical<string> {
  const year = XS_YEAR.exec(value)?.[1];
  return year === undefined ? { expected: 'a year (YYYY)' } : { ok: year };
}

/** `YYYY-MM-DD` if the calendar has such a day. */
function calendarDay(year = '', month = '', day = ''): string | null {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const parsed = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== text ? null : text;
}
