/**
 * The oracle of the tests: the sections that an importer should read from a document. It derives from the
 * intended document, not from the text, and shares no code with the reader of `src/products`.
 */
import type { Json, ProductSections } from '../../src/domain/product.ts';
import { find, walk, type XmlNode } from './nodes.ts';

export interface ProductValues {
  /** The whole product in the shape of `ParsedProduct.sections`. */
  sections: ProductSections;
  /** Every attachment that the product refers to, once, in document order. */
  attachmentIds: string[];
}

/** Elements of `Product` that are sections of their own; all others are product details (package format §3). */
const OWN_SECTIONS = [
  'ProductID',
  'PreviousProductID',
  'Presentations',
  'Ingredients',
  'Emissions',
  'Design',
];

export function valuesOf(submission: XmlNode): ProductValues {
  const { children } = find(submission, 'Product');
  const named = (...names: string[]) => children.filter(({ name }) => names.includes(name));
  const sectionOrNull = (name: string) => (named(name).length === 0 ? null : asObject(named(name)));
  const references = [...walk(submission)].filter(({ form }) => form === 'reference');
  return {
    sections: {
      init_validate: {
        ...asObject(submission.children.filter(({ name }) => name !== 'Product')),
        ...asObject(named('ProductID', 'PreviousProductID')),
      },
      product_details: asObject(children.filter(({ name }) => !OWN_SECTIONS.includes(name))),
      product_presentation: asObject(named('Presentations')),
      design: asObject(named('Design')),
      ingredients: sectionOrNull('Ingredients'),
      emission: sectionOrNull('Emissions'),
    },
    attachmentIds: [...new Set(references.map(({ attributes }) => attributes.attachmentID ?? ''))],
  };
}

/** The elements of a parent by name. */
export function asObject(nodes: readonly XmlNode[]): { [key: string]: Json } {
  return Object.fromEntries(nodes.map((node) => [node.name, readingOf(node)]));
}

function readingOf({ form, value, attributes, children, flagged }: XmlNode): Json {
  const { confidential: flag, ...others } = attributes;
  // Without a readable flag a value counts as confidential (package format §6).
  const confidential = flag !== 'false';
  switch (form) {
    case 'reference':
      return others;
    case 'list':
      return children.map(readingOf);
    case 'group':
      return { ...asObject(children), ...(flagged && { ...others, confidential }) };
    default: {
      const read = form === 'boolean' ? value === 'true' : value;
      return flagged ? { value: read, confidential, ...others } : read;
    }
  }
}
