/** Elements with children: sequences of named fields, wrappers round a list, and references. */
import { UUID_PATTERN } from '../../domain/ids.ts';
import type { XmlElement } from '../xml/tree.ts';
import { type Leaf, readFlag } from './leaves.ts';
import { below, type Place, type Read, type Reader, refuse, shown, warn } from './reading.ts';

type Absence = 'tolerated' | 'warning' | 'problem';

/** A field of a sequence. */
export interface Field<T, Required extends boolean> {
  reader: Reader<T>;
  /** What its absence is. */
  absence: Absence;
  /** Another name under which it was seen. */
  alias?: string;
  required?: Required;
}

/** The schema demands it, but a product without it can still be sent: its absence is a warning. */
export const expected = <T>(reader: Reader<T>, alias?: string): Field<T, false> => ({
  reader,
  absence: 'warning',
  ...(alias !== undefined && { alias }),
});

/** The schema allows its absence. */
export const optional = <T>(reader: Reader<T>, alias?: string): Field<T, false> => ({
  reader,
  absence: 'tolerated',
  ...(alias !== undefined && { alias }),
});

/** Without it the product cannot be identified or sent: its absence refuses the file. */
export const mandatory = <T>(reader: Reader<T>): Field<T, true> => ({
  reader,
  absence: 'problem',
  required: true,
});

// biome-ignore lint/suspicious/noExplicitAny: any field will do as a constraint; each keeps its own type in `FieldsRead`.
type Fields = Record<string, Field<any, boolean>>;

type FieldsRead<F extends Fields> = {
  [K in keyof F as F[K] extends Field<infer _, true> ? K : never]: Read<F[K]['reader']>;
} & {
  [K in keyof F as F[K] extends Field<infer _, true> ? never : K]?: Read<F[K]['reader']>;
};

/** `xs:sequence`: each child at most once, in the order of the schema. Other orders and unknown children are warnings. */
export function sequence<F extends Fields>(fields: F): Reader<FieldsRead<F>> {
  const names = Object.keys(fields);
  const position = new Map(
    names.flatMap(
      (name, index) =>
        [
          [name, index],
          [fields[name]?.alias ?? name, index],
        ] as const,
    ),
  );
  return {
    read(element, place) {
      warnOfText(element, place);
      const found = new Map<number, XmlElement>();
      let last = -1;
      let disorder = false;
      for (const child of element.children) {
        const index = position.get(child.name);
        if (index === undefined)
          warn(place, `has the unknown element ${shown(child.name, false)}`, child.line);
        else if (found.has(index))
          warn(below(place, child.name), 'occurs more than once; the first one counts', child.line);
        else {
          disorder ||= index < last;
          last = Math.max(last, index);
          found.set(index, child);
        }
      }
      if (disorder) warn(place, 'has its elements in another order than the schema', element.line);
      return readFields(fields, names, found, place) as FieldsRead<F>;
    },
  };
}

function readFields(
  fields: Fields,
  names: string[],
  found: Map<number, XmlElement>,
  place: Place,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const field = fields[name];
    const child = found.get(index);
    const at = below(place, name);
    if (!field) continue;
    if (!child) {
      if (field.absence === 'problem') refuse(at, 'is missing');
      if (field.absence === 'warning') warn(at, 'is missing');
      continue;
    }
    const before = at.findings.problems.count;
    const value = field.reader.read(child, at);
    if (value !== undefined) values[name] = value;
    else if (field.absence === 'problem' && at.findings.problems.count === before)
      refuse(at, 'is empty', child.line);
  }
  return values;
}

/** A wrapper that holds `item` elements. An empty one (seen) is a warning and an empty list. */
export function list<T>(item: string, reader: Reader<T>, max = Number.POSITIVE_INFINITY): Reader<T[]> {
  return {
    read(element, place) {
      warnOfText(element, place);
      const items: T[] = [];
      let number = 0;
      for (const child of element.children) {
        if (child.name !== item) {
          warn(place, `has the unknown element ${shown(child.name, false)}`, child.line);
          continue;
        }
        number += 1;
        const value = reader.read(child, below(place, `${item}[${number}]`));
        if (value !== undefined) items.push(value);
      }
      if (number === 0) warn(place, 'is empty', element.line);
      if (number > max) warn(place, `has ${number} elements; at most ${max} are allowed`, element.line);
      return items;
    },
  };
}

/** A reference to an attachment: an empty element with `attachmentID`. Reads as the ID. */
export function reference(): Reader<{ attachmentID: string }> {
  return {
    read(element, place) {
      const id = element.attributes.attachmentID?.trim() ?? '';
      const lower = id.toLowerCase();
      if (UUID_PATTERN.test(lower)) {
        if (lower !== id) warn(place, `has attachmentID ${shown(id, false)} in upper case`, element.line);
        return { attachmentID: lower };
      }
      const found =
        id === '' ? 'has no attachmentID' : `has the attachmentID ${shown(id, false)}, which is no UUID`;
      warn(place, `${found}; the reference is left out`, element.line);
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
      const read = content.read(element, { ...place, confidential });
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
        warn(place, `${found}; expected ${types.join(' or ')}`, element.line);
      }
      return read === undefined ? undefined : { ...read, ...(type !== undefined && { type }) };
    },
  };
}

function warnOfText(element: XmlElement, place: Place): void {
  const text = element.text.trim();
  if (text !== '') warn(place, 'holds text where only elements were expected', element.line);
}
