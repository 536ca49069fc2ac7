/**
 * Lexical rules: the permitted form of a value and its normal form (package format §2, §6). Values stay
 * text, so that leading zeros and long numbers survive. Only booleans and codes are normalized.
 */
import type { Lexical, Rule } from './reading.ts';

/**
 * Numbers, dates, codes and identifiers are shorter. Longer values are tried against no pattern, which bounds the time.
 */
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
    // A text has at most as many code points as UTF-16 units: most values need no count.
    const length = value.length > max ? [...value].length : 0;
    return length > max
      ? { ok: value, remark: `is ${length} characters long; at most ${max} are allowed` }
      : { ok: value };
  };

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

/** A code from `first` to `last`, normalized to the plain number: `4`, `04`, `+4`, ` 4 ` and `4.0` are the code 4. */
export const codeIn = (first: number, last: number): Rule<string> => {
  const expected = `a known code (${first}-${last})`;
  return short(expected, (value) => {
    const code = Number(/^\+?(\d+)(?:\.0+)?$/.exec(value)?.[1]);
    return code >= first && code <= last ? { ok: String(code) } : { expected };
  });
};

// Dates and years in the forms found in real files, normalized to the schema's (package format §6).

const XS_DATE = /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:Z|[+-]\d{2}:\d{2})?$/;
const XS_YEAR = /^(\d{4})(?:Z|[+-]\d{2}:\d{2})?$/;

/** The schema's form, then other unambiguous ones: year first, or day first with dots. */
const DATES = [
  XS_DATE,
  /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})(?:Z|[+-]\d{2}:\d{2})?$/,
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?$/,
  /^(?<year>\d{4})[/.](?<month>\d{1,2})[/.](?<day>\d{1,2})$/,
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
  /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})$/,
];

function readDate(value: string): Lexical<string> {
  for (const form of DATES) {
    const day = calendarDay(form.exec(value)?.groups);
    if (day === null) continue;
    return form === XS_DATE ? { ok: day } : { ok: day, remark: `was read as ${day}; expected YYYY-MM-DD` };
  }
  return { expected: 'a date (YYYY-MM-DD)' };
}

function readYear(value: string): Lexical<string> {
  const year = XS_YEAR.exec(value)?.[1];
  return year === undefined ? { expected: 'a year (YYYY)' } : { ok: year };
}

/** `YYYY-MM-DD` if the calendar has such a day. */
function calendarDay({ year = '', month = '', day = '' }: Record<string, string> = {}): string | null {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const parsed = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== text ? null : text;
}
