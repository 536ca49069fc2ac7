/**
 * What an importer should read from a document: the oracle of the tests. It follows from the document as
 * it is meant, not from its text, and shares nothing with the reader of `src/products`.
 */
import type { Json, ProductSections } from '../../../src/domain/product.ts';
import { find, isGroup, isLeaf, walk, type XmlGroup, type XmlNode } from '../xml/nodes.ts';

/** What a product was generated with, as text. */
export interface ProductValues {
  /** The whole product in the shape of `ParsedProduct.sections`. */
  sections: ProductSections;
  markets: string[];
  brandNames: string[];
  ingredientNames: string[];
  /** `RecipeQuantity` of each ingredient, as written. */
  recipeQuantities: string[];
  /** `Name` of each emission: a code. */
  emissionCodes: string[];
  emissionQuantities: string[];
  designDescription: string | null;
  /** Every attachment that the product refers to, once, in document order. */
  attachmentIds: string[];
}

/** Elements of `Product` that are sections of their own; all others are product details (package format §3). */
const OWN_SECTIONS = new Set([
  'ProductID',
  'PreviousProductID',
  'Presentations',
  'Ingredients',
  'Emissions',
  'Design',
]);

export function valuesOf(submission: XmlGroup): ProductValues {
  return {
    sections: sectionsOf(submission),
    markets: each(submission, 'Product/Presentations', 'NationalMarket'),
    brandNames: each(submission, 'Product/Presentations', 'BrandName'),
    ingredientNames: each(submission, 'Product/Ingredients', 'Name'),
    recipeQuantities: each(submission, 'Product/Ingredients', 'RecipeQuantity'),
    emissionCodes: each(submission, 'Product/Emissions', 'Name'),
    emissionQuantities: each(submission, 'Product/Emissions', 'Quantity'),
    designDescription: textOf(find(submission, 'Product/Design/Description')),
    attachmentIds: attachmentIdsOf(submission),
  };
}

function sectionsOf(submission: XmlGroup): ProductSections {
  const product = find(submission, 'Product');
  const children = product && isGroup(product) ? product.children : [];
  const part = (name: string) => children.filter((child) => child.name === name);
  const sectionOrNull = (name: string) => (part(name).length === 0 ? null : asObject(part(name)));
  return {
    init_validate: {
      ...asObject(submission.children.filter(({ name }) => name !== 'Product')),
      ...asObject([...part('ProductID'), ...part('PreviousProductID')]),
    },
    product_details: asObject(children.filter(({ name }) => !OWN_SECTIONS.has(name))),
    product_presentation: asObject(part('Presentations')),
    design: asObject(part('Design')),
    ingredients: sectionOrNull('Ingredients'),
    emission: sectionOrNull('Emissions'),
  };
}

function asObject(nodes: readonly XmlNode[]): { [key: string]: Json } {
  return Object.fromEntries(nodes.map((node) => [node.name, readingOf(node)]));
}

function readingOf(node: XmlNode): Json {
  if (node.form === 'reference') return { ...node.attributes };
  const { confidential: flag, ...attributes } = node.attributes;
  // Without a readable flag a value counts as confidential (package format §6).
  const confidential = flag !== 'false';
  if (isLeaf(node)) {
    const value = node.form === 'boolean' ? node.value === 'true' : node.value;
    return node.flagged ? { value, confidential, ...attributes } : value;
  }
  if (node.form === 'list') return node.children.map(readingOf);
  return { ...asObject(node.children), ...(node.flagged && { ...attributes, confidential }) };
}

/** The value of one element of every item of a list. */
function each(root: XmlNode, listPath: string, name: string): string[] {
  const items = find(root, listPath);
  if (!items || !isGroup(items)) return [];
  return items.children.flatMap((item) => textOf(find(item, name)) ?? []);
}

function textOf(node: XmlNode | undefined): string | null {
  return node && isLeaf(node) ? node.value : null;
}

function attachmentIdsOf(submission: XmlGroup): string[] {
  const ids = new Set<string>();
  for (const node of walk(submission)) if (node.form === 'reference') ids.add(node.attributes.attachmentID);
  return [...ids];
}
