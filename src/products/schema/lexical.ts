/**
 * Lexical rules: the permitted form of a value and its normal form (package format §2, §6). Values stay
 * text, so that leading zeros and long numbers survive. Only booleans and codes are normalized.
 */
import type { Lexical, Rule } from './reading.ts';

/** Numbers, dates, codes and identifiers are shorter. Longer values are tried against no pattern, which bounds the time. */
const MAX_LENGTH = 1_000;

/** Applies a rule only to values up to `MAX_LENGTH`. */
function short<T>(expected: string, read: (value: string) => Lexical<T>): Rule<T> {
  return (value) => (value.length > MAX_LENGTH ? { expected } : read(value));
}

const TRUE = /^(?:true|1)$/i;
const FALSE = /^(?:false|0)$/i;

/** `xs:boolean` in any spelling found in real files; undefined for any other value. */
export function booleanOf(value: string): boolean | undefined {
  const trimmed = value.trim();
  if (TRUE.test(trimmed)) return true;
  return FALSE.test(trimmed) ? false : undefined;
}

export const anyBoolean: Rule<boolean> = (value) => {
  const read = booleanOf(value);
  return read === undefined ? { expected: 'a boolean (true, false, 1 or 0)' } : { ok: read };
};

/** `String40` … `String1000`: at most `max` code points. */
export const atMost =
  (max: number): Rule<string> =>
  (value) => {
    if (value.length <= max) return { ok: value };
    const length = codePoints(value);
    return length > max
      ? { ok: value, remark: `is ${length} characters long; at most ${max} are allowed` }
      : { ok: value };
  };

/** Counts a surrogate pair as one character. */
function codePoints(value: string): number {
  let length = value.length;
  for (let at = 0; at < value.length; at += 1) if ((value.codePointAt(at) ?? 0) > 0xffff) length -= 1;
  return length;
}

const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `xs:double`, kept as text. The schema also allows `INF` and `NaN`, which are no quantities. */
export const anyDouble: Rule<string> = short('a number', (value) => {
  if (DOUBLE.test(value)) return { ok: value };
  if (/^(?:[+-]?INF|NaN)$/.test(value)) return { ok: value, remark: 'is not a finite number' };
  return { expected: 'a number' };
});

/** `xs:int`, kept as text without sign and leading zeros. */
export const anyInteger: Rule<string> = short('an integer', (value) => {
  const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  return number >= -2_147_483_648 && number <= 2_147_483_647
    ? { ok: String(number || 0) }
    : { expected: 'an integer' };
});

/** `xs:date`, normalized to `YYYY-MM-DD`: the written calendar day, whatever the zone. */
export const anyDate: Rule<string> = short('a date (YYYY-MM-DD)', readDate);

/** `xs:gYear`, normalized to `YYYY`. */
export const anyYear: Rule<string> = short('a year (YYYY)', readYear);

/** A value that matches `regexp`, which must run in linear time: no nested quantifiers. */
export const matching = (regexp: RegExp, expected: string): Rule<string> =>
  short(expected, (value) => (regexp.test(value) ? { ok: value } : { expected }));

export const oneOf = (words: readonly string[], expected: string): Rule<string> => {
  const known = new Set(words);
  return (value) => (known.has(value) ? { ok: value } : { expected });
};

export type CodeList = Readonly<Record<number, string>>;

/** A code of a list, normalized to the plain number: `4`, `04`, `+4`, ` 4 ` and `4.0` are the code 4. */
export const codeIn = (list: CodeList): Rule<string> => {
  const expected = `a known code (${rangeOf(list)})`;
  return short(expected, (value) => {
    const digits = /^\+?(\d+)(?:\.0+)?$/.exec(value)?.[1];
    return digits !== undefined && Object.hasOwn(list, Number(digits))
      ? { ok: String(Number(digits)) }
      : { expected };
  });
};

export function rangeOf(list: CodeList): string {
  const codes = Object.keys(list).map(Number);
  return `${Math.min(...codes)}-${Math.max(...codes)}`;
}

// Dates and years in the forms found in real files, normalized to the schema's (package format §6).

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

function readDate(value: string): Lexical<string> {
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

function readYear(value: string): Lexical<string> {
  const year = XS_YEAR.exec(value)?.[1];
  return year === undefined ? { expected: 'a year (YYYY)' } : { ok: year };
}

/** `YYYY-MM-DD` if the calendar has such a day. */
function calendarDay(year = '', month = '', day = ''): string | null {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const parsed = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== text ? null : text;
}
