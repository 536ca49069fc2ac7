/**
 * The document as it is meant: names, flags and values in their normal form, in the order of the schema.
 * How it is written (`write.ts`) and what the importer should read from it (`reading.ts`) both follow
 * from it.
 */

/** What a value is, so that a writing style can spell it another way. */
export type LeafForm = 'text' | 'word' | 'boolean' | 'code' | 'integer' | 'double' | 'date' | 'year';

export type Attributes = Record<string, string>;

export interface XmlLeaf {
  form: LeafForm;
  name: string;
  attributes: Attributes;
  /** In normal form: no blanks round it, booleans `true` or `false`, codes and integers without leading zeros, dates `YYYY-MM-DD`. */
  value: string;
  /** Whether the format gives this element the attribute `confidential`. */
  flagged: boolean;
}

export interface XmlGroup {
  /** A `group` has named children, each at most once; a `list` has any number of one kind. */
  form: 'group' | 'list';
  name: string;
  attributes: Attributes;
  children: XmlNode[];
  /** Whether the format gives this element the attribute `confidential`. */
  flagged: boolean;
}

/** An empty element that refers to an attachment. */
export interface XmlReference {
  form: 'reference';
  name: string;
  attributes: { attachmentID: string };
}

export type XmlNode = XmlLeaf | XmlGroup | XmlReference;

export function isGroup(node: XmlNode): node is XmlGroup {
  return node.form === 'group' || node.form === 'list';
}

export function isLeaf(node: XmlNode): node is XmlLeaf {
  return !isGroup(node) && node.form !== 'reference';
}

type Content = readonly (XmlNode | false | undefined)[];

const present = (content: Content): XmlNode[] =>
  content.filter((node) => node !== undefined && node !== false);

/** A sequence of named children. Left-out optional children may be given as false or undefined. */
export function group(name: string, content: Content, attributes: Attributes = {}): XmlGroup {
  return { form: 'group', name, attributes, children: present(content), flagged: false };
}

/** A group with the attribute `confidential` on the element, like a company. */
export function flaggedGroup(
  name: string,
  content: Content,
  confidential: boolean,
  attributes: Attributes = {},
): XmlGroup {
  return {
    ...group(name, content, { confidential: String(confidential), ...attributes }),
    flagged: true,
  };
}

export function list(name: string, items: readonly XmlNode[]): XmlGroup {
  return { form: 'list', name, attributes: {}, children: [...items], flagged: false };
}

/** A leaf without the attribute `confidential`. */
export function plain(form: LeafForm, name: string, value: string | boolean): XmlLeaf {
  return { form, name, attributes: {}, value: String(value), flagged: false };
}

export function reference(name: string, attachmentId: string): XmlReference {
  return { form: 'reference', name, attributes: { attachmentID: attachmentId } };
}

export function references(name: string, attachmentIds: readonly string[]): XmlGroup {
  return list(
    name,
    attachmentIds.map((id) => reference('Attachment', id)),
  );
}

/** The child at a path of names, e.g. `Product/Design`. Of a list, its first item. */
export function find(node: XmlNode, path: string): XmlNode | undefined {
  let found: XmlNode | undefined = node;
  for (const name of path.split('/')) {
    found = found && isGroup(found) ? found.children.find((child) => child.name === name) : undefined;
  }
  return found;
}

/** @throws when there is no such group, which is a fault of the generator */
export function findGroup(node: XmlNode, path: string): XmlGroup {
  const found = find(node, path);
  if (!found || !isGroup(found)) throw new Error(`There is no group ${path} in ${node.name}`);
  return found;
}

/** @throws when there is no such leaf, which is a fault of the generator */
export function findLeaf(node: XmlNode, path: string): XmlLeaf {
  const found = find(node, path);
  if (!found || !isLeaf(found)) throw new Error(`There is no leaf ${path} in ${node.name}`);
  return found;
}

/** Every node, the given one first, in document order. */
export function* walk(node: XmlNode): Generator<XmlNode> {
  yield node;
  if (isGroup(node)) for (const child of node.children) yield* walk(child);
}
