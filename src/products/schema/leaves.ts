/**
 * Leaves: elements with a text value and the flag `confidential` (package format §2). A value of another type
 * is kept unchanged, with a warning.
 */
import type { XmlElement } from '../xml/tree.ts';
import {
  anyBoolean,
  anyDate,
  anyDouble,
  anyInteger,
  anyYear,
  atMost,
  booleanOf,
  codeIn,
  matching,
  oneOf,
} from './lexical.ts';
import { type Place, type Reader, type Rule, shown } from './reading.ts';

export interface Leaf<T> {
  value: T;
  confidential: boolean;
}

/** A leaf with its flag. */
function leaf<T>(rule: Rule<T>, mayBeEmpty = false): Reader<Leaf<T | string>> {
  return {
    read(element, place) {
      checkAttributes(element, place, 'confidential');
      const confidential = readFlag(element, place);
      const value = readValue(element, place, confidential, rule, mayBeEmpty);
      return value === undefined ? undefined : { value, confidential };
    },
  };
}

/** A leaf without a flag: the surrounding element decides whether it is confidential. Reads as the bare value. */
export function unflagged<T>(rule: Rule<T>): Reader<T | string> {
  return {
    read(element, place) {
      checkAttributes(element, place);
      return readValue(element, place, place.confidential, rule, false);
    },
  };
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
    if (!mayBeEmpty) place.warn('is empty', element.line);
    return mayBeEmpty ? '' : undefined;
  }
  const lexical = rule(text);
  if ('expected' in lexical) {
    place.warn(`${shown(text, confidential)} is not ${lexical.expected}`, element.line);
    return text;
  }
  if (lexical.remark !== undefined)
    place.warn(`${shown(text, confidential)} ${lexical.remark}`, element.line);
  return lexical.ok;
}

/** Reads the flag `confidential`; a missing or unreadable one counts as confidential (package format §6). */
export function readFlag(element: XmlElement, place: Place): boolean {
  const flag = element.attributes.confidential;
  const value = flag === undefined ? undefined : booleanOf(flag);
  if (value === undefined) {
    const found =
      flag === undefined ? 'has no attribute confidential' : `has confidential=${shown(flag, false)}`;
    place.warn(`${found}; treated as confidential`, element.line);
  }
  return value ?? true;
}

/**
 * Warns of attributes that the element does not have in the format (package format §2): a misplaced flag has no effect.
 *
 * @param own attributes of the element
 */
export function checkAttributes(element: XmlElement, place: Place, ...own: string[]): void {
  for (const name in element.attributes) {
    if (!own.includes(name) && !OF_ANY_ELEMENT.has(name))
      place.warn(`has the unknown attribute ${shown(name, false)}`, element.line);
  }
}

/** The attributes of XML and of schema instances, by local name. */
const OF_ANY_ELEMENT = new Set(['xmlns', 'type', 'nil', 'schemaLocation', 'noNamespaceSchemaLocation']);

function warnOfContent(element: XmlElement, place: Place): void {
  const [child] = element.children;
  if (child) place.warn(`holds the element ${shown(child.name, false)} where text was expected`, child.line);
}

/** `String40` … `String1000`; may be empty. */
export const text = (max: number): Reader<Leaf<string>> => leaf(atMost(max), true);

export const boolean = (): Reader<Leaf<boolean | string>> => leaf(anyBoolean);
export const double = (): Reader<Leaf<string>> => leaf(anyDouble);
export const integer = (): Reader<Leaf<string>> => leaf(anyInteger);
export const date = (): Reader<Leaf<string>> => leaf(anyDate);
export const year = (): Reader<Leaf<string>> => leaf(anyYear);

export const pattern = (regexp: RegExp, expected: string): Reader<Leaf<string>> =>
  leaf(matching(regexp, expected));

/** A value of a list of words, e.g. market codes. */
export const word = (words: readonly string[], expected: string): Reader<Leaf<string>> =>
  leaf(oneOf(words, expected));

/** A code of a numbered list, from `first` to `last`. Unknown codes are kept, with a warning. */
export const code = (first: number, last: number): Reader<Leaf<string>> => leaf(codeIn(first, last));

/** Like `code`, but an unlisted value refuses the file: such a product could not be processed. */
export const requiredCode = (first: number, last: number): Reader<Leaf<string>> =>
  required(codeIn(first, last), (found) => `${found} is unknown`, `${first}-${last}`);

/** Like `pattern`, but a value of another form refuses the file. */
export const requiredPattern = (regexp: RegExp, expected: string): Reader<Leaf<string>> =>
  required(matching(regexp, expected), (found) => `${found} is invalid`, expected);

/**
 * A leaf that every product needs. The refusal shows its value, unless the leaf declares itself
 * confidential.
 */
function required(
  rule: Rule<string>,
  fault: (found: string) => string,
  expected: string,
): Reader<Leaf<string>> {
  const valid = leaf(rule);
  return {
    read(element, place) {
      const value = element.text.trim();
      if ('ok' in rule(value)) return valid.read(element, place);
      const hidden = booleanOf(element.attributes.confidential ?? '') === true;
      const found = value === '' ? 'is empty' : fault(shown(value, hidden));
      place.refuse(`${found}; expected ${expected}`, element.line);
      return undefined;
    },
  };
}
