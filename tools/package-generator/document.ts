/**
 * The intended document: names, flags and values in their normal form, in the order of the schema. The text
 * of the file (`write.ts`) derives from it, and in tests the expected reading.
 */

/** The kind of a leaf's value decides how a writing style may spell it. A text is never respelt. */
type LeafForm = 'text' | 'boolean' | 'code' | 'integer' | 'date' | 'year';

/**
 * A `group` has named children, each at most once; a `list` has any number of one kind; a `reference` names an
 * attachment.
 */
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

/** A string is a text, a number a code. Other kinds have a maker below. */
export type Value = string | number | Content;

/** Children by name. Optional children that are left out are false or undefined. */
export type Parts = Readonly<Record<string, Value | false | undefined>>;

const content = (form: Form, some: Partial<Content>): Content => ({
  form,
  attributes: {},
  value: '',
  children: [],
  flagged: false,
  ...some,
});
export const leaf = (form: LeafForm, value: string | number | boolean): Content =>
  content(form, { value: String(value), flagged: true });
export const boolean = (value: boolean) => leaf('boolean', value);
export const date = (value: string) => leaf('date', value);

export function named(name: string, value: Value): XmlNode {
  if (typeof value === 'object') return { ...value, name };
  return { ...leaf(typeof value === 'number' ? 'code' : 'text', value), name };
}

const childrenOf = (parts: Parts) =>
  Object.entries(parts).flatMap(([name, part]) =>
    part === false || part === undefined ? [] : [named(name, part)],
  );

export const group = (parts: Parts): Content => content('group', { children: childrenOf(parts) });

/** The same parts, each without the attribute `confidential`. */
export const unflagged = (parts: Parts): Record<string, Content> =>
  Object.fromEntries(childrenOf(parts).map((node) => [node.name, { ...node, flagged: false }]));

/** A group with the attribute `confidential` on the element, like a company. */
export const flaggedGroup = (parts: Parts, attributes: Record<string, string> = {}): Content => ({
  ...group(parts),
  attributes,
  flagged: true,
});

export const list = (item: string, items: readonly Value[]): Content =>
  content('list', { children: items.map((one) => named(item, one)) });

export const reference = (attachmentID: string): Content =>
  content('reference', { attributes: { attachmentID } });

export const references = (attachmentIds: readonly string[]): Content =>
  list('Attachment', attachmentIds.map(reference));

/**
 * Returns the node at a path of names, e.g. `Product/Design`. For a list, it returns the first item.
 * @throws Error when there is none, which is a fault of the generator
 */
export function find(node: XmlNode, path: string): XmlNode {
  let found = node;
  for (const name of path.split('/')) {
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
