/**
 * The intended document: names, flags and values in their normal form, in the order of the schema. The text
 * of the file (`write.ts`) and the expected reading (`reading.ts`) both derive from it.
 */

/** The kind of a leaf's value decides how a writing style may spell it. */
type LeafForm = 'text' | 'word' | 'boolean' | 'code' | 'integer' | 'double' | 'date' | 'year';

/** A `group` has named children, each at most once; a `list` has any number of one kind; a `reference` names an attachment. */
export type Form = LeafForm | 'group' | 'list' | 'reference';

export interface XmlNode {
  name: string;
  form: Form;
  attributes: Record<string, string>;
  /**
   * Value of a leaf: no surrounding blanks, booleans `true` or `false`, codes without leading zeros, dates
   * `YYYY-MM-DD`.
   */
  value: string;
  children: XmlNode[];
  /** Whether the format gives this element the attribute `confidential`. */
  flagged: boolean;
}

/** A node that its parent names. */
export type Content = Omit<XmlNode, 'name'>;

/** Children by name. Optional children that are left out may be false or undefined. */
export type Parts = Readonly<Record<string, Content | false | undefined>>;

const content = (form: Form, some: Partial<Content> = {}): Content => ({
  form,
  attributes: {},
  value: '',
  children: [],
  flagged: false,
  ...some,
});
const leaf = (form: LeafForm, value: string | number | boolean): Content =>
  content(form, { value: String(value), flagged: true });

export const text = (value: string) => leaf('text', value);
export const word = (value: string) => leaf('word', value);
export const boolean = (value: boolean) => leaf('boolean', value);
export const code = (value: number) => leaf('code', value);
export const integer = (value: number) => leaf('integer', value);
/** Unchanged: leading zeros, long decimals and exponents are part of the value. */
export const double = (value: string) => leaf('double', value);
export const date = (value: string) => leaf('date', value);
export const year = (value: number) => leaf('year', value);
/** The same leaf without the attribute `confidential`. */
export const unflagged = (leaf: Content): Content => ({ ...leaf, flagged: false });

export const named = (name: string, node: Content): XmlNode => ({ ...node, name });

export function group(parts: Parts): Content {
  const children = Object.entries(parts).flatMap(([name, part]) => (part ? [named(name, part)] : []));
  return content('group', { children });
}

/** A group with the attribute `confidential` on the element, like a company. */
export function flaggedGroup(parts: Parts, attributes: Record<string, string> = {}): Content {
  return { ...group(parts), attributes, flagged: true };
}

export function list(item: string, items: readonly Content[]): Content {
  return content('list', { children: items.map((node) => named(item, node)) });
}

export function reference(attachmentID: string): Content {
  return content('reference', { attributes: { attachmentID } });
}

export function references(attachmentIds: readonly string[]): Content {
  return list('Attachment', attachmentIds.map(reference));
}

/**
 * Returns the node at a path of names, e.g. `Product/Design`. For a list, it returns the first item.
 * @throws Error when there is none, which is a fault of the generator
 */
export function find(node: XmlNode, path: string): XmlNode {
  let found = node;
  for (const name of path.split('/').filter(Boolean)) {
    const child = found.children.find((one) => one.name === name);
    if (!child) throw new Error(`There is no ${path} in ${node.name}`);
    found = child;
  }
  return found;
}

/** Every node, the given one first, in document order. */
export function* walk(node: XmlNode): Generator<XmlNode> {
  yield node;
  for (const child of node.children) yield* walk(child);
}
