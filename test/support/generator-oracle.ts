/**
 * The oracle of the reader: how the importer must read and answer a generated product file. It shares no code with the
 * reader of `src/products`.
 */
import type { Json, ProductSections } from '../../src/domain/product.ts';
import { find, walk, type XmlNode } from '../../tools/package-generator/document.ts';
import type { FileFaultName, Outcome } from '../../tools/package-generator/faults.ts';
import type { GeneratedPackage, ProductFile } from '../../tools/package-generator/generate-package.ts';
import { resolveOptions } from '../../tools/package-generator/options.ts';
import {
  documentOf,
  faultOf,
  outcomeOf,
  type PlannedFile,
  planFile,
  writeProduct,
} from '../../tools/package-generator/plan.ts';
import { STYLES, type StyleName } from '../../tools/package-generator/styles.ts';

/** The importer's expected answer to a product file. */
export interface Expectation {
  outcome: Outcome;
  /** The product ID; null when the importer cannot tell it. */
  productId: string | null;
  /** Null unless the file can be read. The submission type is kept even when it is not in the list. */
  productTypeCode: number | null;
  submissionTypeCode: number | null;
  /** The text that the error or the reason for skipping must mention. Not for created products. */
  reason?: RegExp;
  /** Whether the reader of products notes at least one warning. */
  warns: boolean;
  /** The text that one of the warnings must mention. */
  warning?: RegExp;
  fault: FileFaultName | null;
  styles: readonly StyleName[];
  /** The expected content, made on demand. Only for files that can be read. */
  values?: () => ProductValues;
}

export function expectationOf(planned: PlannedFile): Expectation {
  const { productId, productType, submissionType, styles, variant, fault } = planned;
  const { repeats, mentions, unidentified } = faultOf(planned);
  const outcome = outcomeOf(planned);
  const readable = outcome === 'created' || repeats === true;
  const mentioned = mentions?.(variant);
  const warning = outcome === 'created' ? mentioned : undefined;
  return {
    outcome,
    productId: unidentified ? null : productId,
    productTypeCode: readable ? productType : null,
    submissionTypeCode: readable && !variant.startsWith('SubmissionType=') ? submissionType : null,
    ...(mentioned && (warning ? { warning } : { reason: mentioned })),
    warns: readable && (warning !== undefined || styles.some((name) => STYLES[name].warns)),
    fault,
    styles,
    ...(readable && { values: () => valuesOf(documentOf(planned)) }),
  };
}

/** One product file: the `ordinal`-th of its package, with some of its plan replaced. */
export function generateProductXml({
  ordinal = 0,
  fault = null,
  seed,
  ...others
}: Partial<PlannedFile> = {}): { bytes: Buffer; expectation: Expectation } {
  const options = resolveOptions({ seed });
  const planned = { ...planFile(options, [], ordinal, fault), ...others };
  return { bytes: writeProduct(planned), expectation: expectationOf(planned) };
}

/** The product files of a package, with the expectation of each. */
export function productFilesOf({ files }: GeneratedPackage): (ProductFile & { expectation: Expectation })[] {
  return files.flatMap((file) =>
    'planned' in file ? [{ ...file, expectation: expectationOf(file.planned) }] : [],
  );
}

interface ProductValues {
  /** The whole product in the shape of `ParsedProduct.sections`. */
  sections: ProductSections;
  /** Every attachment that the product refers to, once, in document order. */
  attachmentIds: string[];
}

/** Elements of `Product` that are sections of their own; all others are product details (package format §3). */
const OWN_SECTIONS = 'ProductID PreviousProductID Presentations Ingredients Emissions Design'.split(' ');

function valuesOf(submission: XmlNode): ProductValues {
  const { children } = find(submission, 'Product');
  const some = (...names: string[]) => children.filter(({ name }) => names.includes(name));
  const sectionOrNull = (name: string) => (some(name).length === 0 ? null : asObject(some(name)));
  const referred = [...walk(submission)].filter(({ form }) => form === 'reference');
  return {
    sections: {
      init_validate: {
        ...asObject(submission.children.filter(({ name }) => name !== 'Product')),
        ...asObject(some('ProductID', 'PreviousProductID')),
      },
      product_details: asObject(children.filter(({ name }) => !OWN_SECTIONS.includes(name))),
      product_presentation: asObject(some('Presentations')),
      design: asObject(some('Design')),
      ingredients: sectionOrNull('Ingredients'),
      emission: sectionOrNull('Emissions'),
    },
    attachmentIds: [...new Set(referred.map(({ attributes }) => attributes.attachmentID ?? ''))],
  };
}

/** The elements of a parent by name. */
export function asObject(nodes: readonly XmlNode[]): { [key: string]: Json } {
  return Object.fromEntries(nodes.map((node) => [node.name, readingOf(node)]));
}

function readingOf({ form, value, attributes, children, flagged }: XmlNode): Json {
  const { confidential: flag, ...others } = attributes;
  if (form === 'reference') return others;
  if (form === 'list') return children.map(readingOf);
  // Without a readable flag a value counts as confidential (package format §6).
  const flags = flagged && { ...others, confidential: flag !== 'false' };
  if (form === 'group') return { ...asObject(children), ...flags };
  const read = form === 'boolean' ? value === 'true' : value;
  return flagged ? { value: read, ...flags } : read;
}
