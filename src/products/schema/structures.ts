/** Elements with children: sequences of named fields, wrappers of a list, and references. */
import { UUID_PATTERN } from '../../domain/ids.ts';
import type { XmlElement } from '../xml/tree.ts';
import { checkAttributes, type Leaf, readFlag } from './leaves.ts';
import { type Place, type Read, type Reader, shown } from './reading.ts';

type Absence = 'tolerated' | 'warning' | 'problem';

/** A field of a sequence. */
export interface Field<T, A extends Absence> {
  reader: Reader<T>;
  /** The effect of its absence. */
  absence: A;
  /** Another name found in real files. */
  alias: string | undefined;
}

const field =
  <A extends Absence>(absence: A) =>
  <T>(reader: Reader<T>, alias?: string): Field<T, A> => ({ reader, absence, alias });

/** The schema demands the field, but the product can be sent without it: its absence is a warning. */
export const expected = field('warning');

/** The schema allows its absence. */
export const optional = field('tolerated');

/** The product cannot be identified or sent without the field: its absence refuses the file. */
export const mandatory = field('problem');

// biome-ignore lint/suspicious/noExplicitAny: any field will do as a constraint; each keeps its own type in `FieldsRead`.
type Fields = Record<string, Field<any, Absence>>;

type FieldsRead<F extends Fields> = {
  [K in keyof F as F[K]['absence'] extends 'problem' ? K : never]: Read<F[K]['reader']>;
} & {
  [K in keyof F as F[K]['absence'] extends 'problem' ? never : K]?: Read<F[K]['reader']>;
};

/** `xs:sequence`: each child at most once, in the order of the schema. Other orders and unknown children are warnings. */
export function sequence<F extends Fields>(fields: F): Reader<FieldsRead<F>> {
  const inOrder = Object.entries(fields).map(([name, field]) => ({ name, field }));
  const position = new Map<string, number>();
  for (const [index, { name, field }] of inOrder.entries()) {
    position.set(name, index);
    if (field.alias !== undefined) position.set(field.alias, index);
  }
  return {
    read(element, place) {
      checkAttributes(element, place);
      warnOfText(element, place);
      const found = arrange(element, place, position, inOrder.length);
      const values: Record<string, unknown> = {};
      for (const [index, { name, field }] of inOrder.entries()) {
        const value = readField(name, field, found[index], place);
        if (value !== undefined) values[name] = value;
      }
      return values as FieldsRead<F>;
    },
  };
}

/** The children in the schema's order. The first of each name counts. */
function arrange(
  element: XmlElement,
  place: Place,
  position: ReadonlyMap<string, number>,
  length: number,
): (XmlElement | undefined)[] {
  const found: (XmlElement | undefined)[] = new Array(length).fill(undefined);
  let last = -1;
  let disorder = false;
  for (const child of element.children) {
    const index = position.get(child.name);
    if (index === undefined) place.warn(`has the unknown element ${shown(child.name, false)}`, child.line);
    else if (found[index])
      place.below(child.name).warn('occurs more than once; the first one counts', child.line);
    else {
      disorder ||= index < last;
      last = index;
      found[index] = child;
    }
  }
  if (disorder) place.warn('has its elements in another order than the schema', element.line);
  return found;
}

function readField(
  name: string,
  field: Field<unknown, Absence>,
  child: XmlElement | undefined,
  place: Place,
): unknown {
  if (!child) {
    if (field.absence === 'problem') place.below(name).refuse('is missing');
    if (field.absence === 'warning') place.below(name).warn('is missing');
    return undefined;
  }
  const at = place.below(name);
  if (child.name !== name) at.warn(`is written ${shown(child.name, false)}`, child.line);
  const { problems } = at.findings;
  const before = problems.count;
  const value = field.reader.read(child, at);
  if (value === undefined && field.absence === 'problem' && problems.count === before)
    at.refuse('is empty', child.line);
  return value;
}

/** A wrapper that holds `item` elements. An empty wrapper (seen) gives a warning and an empty list. */
export function list<T>(item: string, reader: Reader<T>, max = Number.POSITIVE_INFINITY): Reader<T[]> {
  return {
    read(element, place) {
      checkAttributes(element, place);
      warnOfText(element, place);
      const items: T[] = [];
      let number = 0;
      for (const child of element.children) {
        if (child.name !== item) {
          place.warn(`has the unknown element ${shown(child.name, false)}`, child.line);
          continue;
        }
        number += 1;
        const at = place.below(item, number);
        const value = reader.read(child, at);
        if (value === undefined) continue;
        if (typeof value === 'object' && value !== null)
          place.findings.origins.set(value, { place: at, line: child.line });
        items.push(value);
      }
      if (number === 0) place.warn('is empty', element.line);
      if (number > max) place.warn(`has ${number} elements; at most ${max} are allowed`, element.line);
      return items;
    },
  };
}

/** A reference to an attachment: an empty element with `attachmentID`. Reads as the ID. */
export function reference(): Reader<{ attachmentID: string }> {
  return {
    read(element, place) {
      checkAttributes(element, place, 'attachmentID');
      if (element.children.length > 0 || element.text.trim() !== '')
        place.warn('has content, but a reference is empty', element.line);
      const id = element.attributes.attachmentID?.trim() ?? '';
      const lower = id.toLowerCase();
      if (UUID_PATTERN.test(lower)) {
        if (lower !== id) place.warn(`has attachmentID ${shown(id, false)} in upper case`, element.line);
        const read = { attachmentID: lower };
        place.findings.origins.set(read, { place, line: element.line });
        return read;
      }
      const found =
        id === '' ? 'has no attachmentID' : `has the attachmentID ${shown(id, false)}, which is not a UUID`;
      place.warn(`${found}; the reference is left out`, element.line);
      return undefined;
    },
  };
}

/** A wrapper of references. */
export const references = (): Reader<{ attachmentID: string }[]> => list('Attachment', reference());

/** An element with the flag `confidential` and further attributes beside its children, like a company. */
export function flagged<T extends object, A extends object>(
  content: Reader<T>,
  attributes: (element: XmlElement, place: Place) => A,
): Reader<T & A & { confidential: boolean }> {
  return {
    read(element, place) {
      const confidential = readFlag(element, place);
      // The content warns of the other attributes.
      const { confidential: _, submitterID: _id, submitterId: _misspelt, ...others } = element.attributes;
      const read = content.read({ ...element, attributes: others }, place.flagged(confidential));
      return read === undefined ? undefined : { ...attributes(element, place), ...read, confidential };
    },
  };
}

/** A leaf with the attribute `type` (`PRODUCT_ID` or `TEXT`). */
export function typed<T>(
  value: Reader<Leaf<T>>,
  types: readonly string[],
): Reader<Leaf<T> & { type?: string }> {
  return {
    read(element, place) {
      const read = value.read(element, place);
      const type = element.attributes.type?.trim();
      if (type === undefined || !types.includes(type)) {
        const found = type === undefined ? 'has no attribute type' : `has type=${shown(type, false)}`;
        place.warn(`${found}; expected ${types.join(' or ')}`, element.line);
      }
      return read === undefined ? undefined : { ...read, ...(type !== undefined && { type }) };
    },
  };
}

function warnOfText(element: XmlElement, place: Place): void {
  const text = element.text.trim();
  if (text !== '') place.warn('holds text where only elements were expected', element.line);
}
