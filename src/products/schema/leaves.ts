/**
 * Leaves: elements with a text value and the flag `confidential` (package format §2). Values stay text,
 * so that leading zeros and long numbers survive; only booleans and codes are normalized. A value that
 * is not of its type is kept as it is, with a warning.
 */
import type { XmlElement } from '../xml/tree.ts';
import { type Place, type Reader, type Rule, refuse, shown, warn } from './reading.ts';
import { readDate, readYear } from './temporal-values.ts';

export interface Leaf<T> {
  value: T;
  confidential: boolean;
}

const TRUE = /^(?:true|1)$/i;
const FALSE = /^(?:false|0)$/i;

/** `xs:boolean` in any spelling that was seen; undefined for anything else. */
export function booleanOf(value: string): boolean | undefined {
  const trimmed = value.trim();
  if (TRUE.test(trimmed)) return true;
  return FALSE.test(trimmed) ? false : undefined;
}

/** The flag of an element: confidential unless it says that it is not. Silent: `leaf` warns. */
export function isConfidential(element: XmlElement): boolean {
  return booleanOf(element.attributes.confidential ?? '') !== false;
}

/** A leaf with its flag. */
function leaf<T>(rule: Rule<T>, mayBeEmpty = false): Reader<Leaf<T | string>> {
  return {
    read(element, place) {
      const confidential = readFlag(element, place);
      const value = readValue(element, place, confidential, rule, mayBeEmpty);
      return value === undefined ? undefined : { value, confidential };
    },
  };
}

/** A leaf that carries no flag: what is around it says whether it is confidential. Reads as the bare value. */
export function unflagged<T>(rule: Rule<T>): Reader<T | string> {
  return { read: (element, place) => readValue(element, place, place.confidential, rule, false) };
}

function readValue<T>(
  element: XmlElement,
  place: Place,
  confidential: boolean,
  rule: Rule<T>,
  mayBeEmpty: boolean,
): T | string | undefined {
  warnOfContent(element, place);
  const text = element.text.trim();
  if (text === '') {
    if (!mayBeEmpty) warn(place, 'is empty', element.line);
    return mayBeEmpty ? '' : undefined;
  }
  const lexical = rule(text);
  if ('expected' in lexical) {
    warn(place, `${shown(text, confidential)} is not ${lexical.expected}`, element.line);
    return text;
  }
  if (lexical.remark !== undefined)
    warn(place, `${shown(text, confidential)} ${lexical.remark}`, element.line);
  return lexical.ok;
}

/** Reads the flag `confidential`; a missing or unreadable one counts as confidential (package format §6). */
export function readFlag(element: XmlElement, place: Place): boolean {
  const flag = element.attributes.confidential;
  const value = flag === undefined ? undefined : booleanOf(flag);
  if (value === undefined) {
    const found =
      flag === undefined ? 'has no attribute confidential' : `has confidential=${shown(flag, false)}`;
    warn(place, `${found}; treated as confidential`, element.line);
  }
  for (const name of Object.keys(element.attributes)) {
    if (!KNOWN_ATTRIBUTES.has(name) && !name.startsWith('xmlns') && !name.startsWith('xml:')) {
      warn(place, `has the unknown attribute ${shown(name, false)}`, element.line);
    }
  }
  return value ?? true;
}

const KNOWN_ATTRIBUTES = new Set([
  'confidential',
  'type',
  'submitterID',
  'submitterId',
  'attachmentID',
  'nil',
  'schemaLocation',
  'noNamespaceSchemaLocation',
]);

function warnOfContent(element: XmlElement, place: Place): void {
  const [child] = element.children;
  if (child) warn(place, `holds the element ${shown(child.name, false)} where text was expected`, child.line);
}

/** `String40` … `String1000`: at most `max` code points; may be empty. */
export const text = (max: number): Reader<Leaf<string>> => leaf(atMost(max), true);

export const atMost =
  (max: number): Rule<string> =>
  (value) => {
    const { length } = [...value];
    return length > max
      ? { ok: value, remark: `is ${length} characters long; at most ${max} are allowed` }
      : { ok: value };
  };

export const boolean = (): Reader<Leaf<boolean | string>> => leaf(anyBoolean);

export const anyBoolean: Rule<boolean> = (value) => {
  const read = booleanOf(value);
  return read === undefined ? { expected: 'a boolean (true, false, 1 or 0)' } : { ok: read };
};

const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `xs:double`, kept as text. `INF` and `NaN` are valid there but no quantity. */
export const double = (): Reader<Leaf<string>> =>
  leaf((value) => {
    if (DOUBLE.test(value)) return { ok: value };
    if (/^(?:[+-]?INF|NaN)$/.test(value)) return { ok: value, remark: 'is no finite number' };
    return { expected: 'a number' };
  });

/** `xs:int`, kept as text without sign and leading zeros. */
export const integer = (): Reader<Leaf<string>> =>
  leaf((value) => {
    const number = /^[+-]?\d{1,20}$/.test(value) ? Number(value) : Number.NaN;
    return Math.abs(number) <= 2_147_483_648 ? { ok: String(number) } : { expected: 'an integer' };
  });

/** `xs:date`, normalized to `YYYY-MM-DD`: the calendar day that was written, whatever the zone. */
export const date = (): Reader<Leaf<string>> => leaf(readDate);

/** `xs:gYear`, normalized to `YYYY`. */
export const year = (): Reader<Leaf<string>> => leaf(readYear);

/** A value of the form of `regexp`, which must be linear: no nested quantifiers. */
export const pattern = (regexp: RegExp, expected: string): Reader<Leaf<string>> =>
  leaf(matching(regexp, expected));

export const matching =
  (regexp: RegExp, expected: string): Rule<string> =>
  (value) =>
    regexp.test(value) ? { ok: value } : { expected };

/** A value of a list of words, e.g. market codes. */
export const word = (words: readonly string[], expected: string): Reader<Leaf<string>> =>
  leaf(oneOf(words, expected));

export const oneOf = (words: readonly string[], expected: string): Rule<string> => {
  const known = new Set(words);
  return (value) => (known.has(value) ? { ok: value } : { expected });
};

/** The integer that a coded value stands for: `4`, `04`, `+4`, ` 4 ` and `4.0` are the code 4. */
export function codeOf(value: string): number | undefined {
  const digits = /^\+?0*(\d{1,9})(?:\.0+)?$/.exec(value.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export type CodeList = Readonly<Record<number, string>>;

/** A value of a numbered code list, normalized to the plain number. Unknown codes are kept, with a warning. */
export const code = (list: CodeList): Reader<Leaf<string>> =>
  leaf((value) => {
    const number = codeOf(value);
    return number !== undefined && Object.hasOwn(list, number)
      ? { ok: String(number) }
      : { expected: `a known code (${rangeOf(list)})` };
  });

/** Like `code`, but a value that is not in the list refuses the file: nothing could be done with the product. */
export function requiredCode(list: CodeList): Reader<Leaf<string>> {
  return {
    read(element, place) {
      const confidential = readFlag(element, place);
      warnOfContent(element, place);
      const value = element.text.trim();
      const number = codeOf(value);
      if (number !== undefined && Object.hasOwn(list, number)) return { value: String(number), confidential };
      refuse(
        place,
        `${value === '' ? 'is empty' : `${shown(value, false)} is unknown`}; expected ${rangeOf(list)}`,
        element.line,
      );
      return undefined;
    },
  };
}

/** Like `pattern`, but a value of another form refuses the file. */
export function requiredPattern(regexp: RegExp, expected: string): Reader<Leaf<string>> {
  return {
    read(element, place) {
      const confidential = readFlag(element, place);
      warnOfContent(element, place);
      const value = element.text.trim();
      if (regexp.test(value)) return { value, confidential };
      refuse(
        place,
        `${value === '' ? 'is empty' : `${shown(value, false)} is invalid`}; expected ${expected}`,
        element.line,
      );
      return undefined;
    },
  };
}

function rangeOf(list: CodeList): string {
  const codes = Object.keys(list).map(Number);
  return `${Math.min(...codes)}-${Math.max(...codes)}`;
}
