/** The sections of a product file, as the service cuts them (src/products/sections.ts; a test compares both). */
import type { InsertStep } from '../../../src/contract/steps.ts';

/** Elements inside `Product` outside the section of details. */
const OF_PRODUCT: Readonly<Record<string, InsertStep>> = {
  ProductID: 'init_validate',
  PreviousProductID: 'init_validate',
  Presentations: 'product_presentation',
  Design: 'design',
  Ingredients: 'ingredients',
  Emissions: 'emission',
};

/**
 * A product file, or one section of it, with one element per line and sorted attributes: white space and the order of
 * attributes are no changes.
 *
 * @throws Error when it is no XML
 */
export function readableXml(xml: string, section: InsertStep | null): string {
  const root = new DOMParser().parseFromString(xml, 'application/xml').documentElement;
  if (root === null || root.localName === 'parsererror' || root.querySelector('parsererror') !== null)
    throw new Error('One of the product files is not valid XML.');
  const lines: string[] = [];
  if (section === null) write(root, 0, lines);
  else for (const element of elementsOf(root, section)) write(element, 0, lines);
  return lines.join('');
}

function elementsOf(root: Element, section: InsertStep): Element[] {
  return [...root.children].flatMap((child) => {
    if (child.localName !== 'Product') return section === 'init_validate' ? [child] : [];
    return [...child.children].filter(
      (inner) => (OF_PRODUCT[inner.localName] ?? 'product_details') === section,
    );
  });
}

function write(element: Element, depth: number, lines: string[]): void {
  const indent = '  '.repeat(depth);
  const attributes = [...element.attributes]
    .map(({ name, value }) => ` ${name}="${value}"`)
    .sort()
    .join('');
  const open = `${indent}<${element.localName}${attributes}`;
  const children = [...element.children];
  const text = (element.textContent ?? '').trim();
  if (children.length === 0) {
    lines.push(text === '' ? `${open}/>\n` : `${open}>${text}</${element.localName}>\n`);
    return;
  }
  lines.push(`${open}>\n`);
  for (const child of children) write(child, depth + 1, lines);
  lines.push(`${indent}</${element.localName}>\n`);
}
