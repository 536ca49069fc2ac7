/** Edits that make product files faulty: changes of the document and of its text. */
import { company } from './companies.ts';
import type { ProductPlan } from './context.ts';
import { COMPANIES, type Company } from './data.ts';
import { boolean, find, group, named, text, unflagged, type XmlNode } from './nodes.ts';

export type Outcome = 'created' | 'failed' | 'skipped';

/** A fault of one product file. */
export interface FileFault {
  about: string;
  outcome: Outcome;
  /** Variants of the fault; each file gets one. */
  variants?: readonly string[];
  /**
   * The text that the answer must mention: in the error, in the reason for skipping or, for a created
   * product, in a warning.
   */
  mentions?: (variant: string) => RegExp;
  /** Whether the importer cannot tell the product ID. */
  unidentified?: boolean;
  /** Whether only a product with liquid can have the fault. */
  needsLiquid?: boolean;
  /** Changes the document. */
  edit?: (submission: XmlNode, variant: string, plan: ProductPlan) => void;
  /** Changes the text; such a file is written in the plain style. */
  spoil?: (text: string, variant: string) => string | Buffer;
  makes?: 'tobacco product' | 'tobacco product in its folder' | 'duplicate';
}

/** Gives a leaf another value, written unchanged. */
export function setValue(submission: XmlNode, path: string, value: string): void {
  Object.assign(find(submission, path), { value, form: 'word' });
}

function remove(submission: XmlNode, path: string): void {
  const cut = path.lastIndexOf('/');
  const parent = find(submission, path.slice(0, Math.max(cut, 0)));
  parent.children.splice(parent.children.indexOf(find(submission, path)), 1);
}

/** A product type that is refused. */
export const wrongType = (about: string, ...variants: string[]): FileFault => ({
  about,
  outcome: 'failed',
  variants,
  mentions: (value) => new RegExp(`ProductType "${value.replace('.', '\\.')}" is unknown; expected 1-9`),
  edit: (submission, value) => setValue(submission, 'Product/ProductType', value),
});

export const missing = (path: string): FileFault => ({
  about: `the element ${path.split('/').at(-1)} is missing`,
  outcome: 'failed',
  mentions: () => new RegExp(`${path.split('/').at(-1)} is missing`),
  edit: (submission) => remove(submission, path),
});

export const NOT_WELL_FORMED = /not well-formed XML.*line \d+/;

export const spoiled = (
  about: string,
  mentions: RegExp,
  spoil: NonNullable<FileFault['spoil']>,
  variants: readonly string[] = [''],
): FileFault => ({ about, outcome: 'failed', mentions: () => mentions, unidentified: true, spoil, variants });

/** Inserts text at the beginning of the design's description, which every product has. */
export const intoDescription = (xml: string, inserted: string) =>
  xml.replace(/<Description [^>]*>/, (tag) => tag + inserted);

/** Product IDs of another form (package format §2). The last one has digits to the schema's \d, but not to people. */
export const MISSHAPED: Readonly<Record<string, (id: string) => string>> = {
  short: (id) => `${id.slice(0, -5)}${Number(id.slice(-5))}x`,
  'four-digit year': (id) => id.replace('-', '-20'),
  prefix: (id) => `EC-${id}`,
  dots: (id) => id.replaceAll('-', '.'),
  'other digits': (id) => id.replace(/\d/g, (digit) => String.fromCodePoint(0x0660 + Number(digit))),
};

/** Gives the submitter a parent company with this e-mail address. */
export function replaceParent(submission: XmlNode, Email: string): void {
  const submitter = find(submission, 'Submitter');
  const details = { ...(COMPANIES[0] as Company), Email };
  const parent = named('Parent', company(details));
  parent.attributes.confidential = 'false';
  submitter.children = submitter.children.filter(({ name }) => name !== 'Parent');
  const at = submitter.children.findIndex(({ name }) => name === 'HasParent');
  submitter.children.splice(at, 1, named('HasParent', unflagged(boolean(true))), parent);
}

/** Elements that the schema does not know, one in the other. */
export function nested(levels: number): XmlNode {
  let inner = named('Bottom', unflagged(text('reached')));
  for (let level = 0; level < levels; level += 1) inner = named('Level', group({ [inner.name]: inner }));
  return inner;
}
