/**
 * All faults of a product file or of a package, and the importer's answer to each (package format §6,
 * decision §refuse-or-warn). Names, help texts and expectations follow from these tables.
 */
import { company } from './contents.ts';
import type { ProductPlan } from './context.ts';
import { COMPANIES } from './data.ts';
import { find, group, named, type XmlNode } from './document.ts';
import { uuidOf } from './random.ts';

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
function setValue(submission: XmlNode, path: string, value: string): void {
  Object.assign(find(submission, path), { value, form: 'text' });
}

function remove(submission: XmlNode, path: string): void {
  const [name, parent] = path.split('/').reverse();
  const from = parent === undefined ? submission : find(submission, parent);
  from.children = from.children.filter((child) => child.name !== name);
}

/** A product type that is refused. */
const wrongType = (about: string, ...variants: string[]): FileFault => ({
  about,
  outcome: 'failed',
  variants,
  mentions: (value) => new RegExp(`ProductType "${value.replace('.', '\\.')}" is unknown; expected 1-9`),
  edit: (submission, value) => setValue(submission, 'Product/ProductType', value),
});

const missing = (path: string): FileFault => ({
  about: `the element ${path.split('/').at(-1)} is missing`,
  outcome: 'failed',
  mentions: () => new RegExp(`${path.split('/').at(-1)} is missing`),
  edit: (submission) => remove(submission, path),
});

const NOT_WELL_FORMED = /not well-formed XML.*line \d+/;

const spoiled = (
  about: string,
  mentions: RegExp,
  spoil: NonNullable<FileFault['spoil']>,
  variants: readonly string[] = [''],
): FileFault => ({ about, outcome: 'failed', mentions: () => mentions, unidentified: true, spoil, variants });

/** Inserts text at the beginning of the design's description, which every product has. */
const intoDescription = (xml: string, inserted: string) =>
  xml.replace(/<Description [^>]*>/, (tag) => tag + inserted);

/** Product IDs of another form (package format §2). The last one has digits to the schema's \d, but not to people. */
const MISSHAPED: Readonly<Record<string, (id: string) => string>> = {
  short: (id) => `${id.slice(0, -5)}${Number(id.slice(-5))}x`,
  'four-digit year': (id) => id.replace('-', '-20'),
  prefix: (id) => `EC-${id}`,
  dots: (id) => id.replaceAll('-', '.'),
  'other digits': (id) => id.replace(/\d/g, (digit) => String.fromCodePoint(0x0660 + Number(digit))),
};

/** Gives the submitter a parent company with this e-mail address. */
function replaceParent(submission: XmlNode, Email: string): void {
  const submitter = find(submission, 'Submitter');
  const { attributes, ...details } = company({ ...COMPANIES[0], Email });
  const parent = named('Parent', { ...details, attributes: { ...attributes, confidential: 'false' } });
  submitter.children = submitter.children.filter(({ name }) => name !== 'Parent');
  const at = submitter.children.findIndex(({ name }) => name === 'HasParent');
  find(submitter, 'HasParent').value = 'true';
  submitter.children.splice(at + 1, 0, parent);
}

/** Elements that the schema does not know, one in the other. */
function nested(levels: number): XmlNode {
  let inner = named('Bottom', group({}));
  for (let level = 0; level < levels; level += 1) inner = named('Level', group({ [inner.name]: inner }));
  return inner;
}

const FILE_TABLE = {
  'unknown-type': wrongType(
    'a product type that is not in the list',
    '10',
    '0',
    '12',
    '99',
    '-4',
    'Refillable',
  ),
  'type-not-integral': wrongType('a product type like 10.0 (seen) or 4.5', '10.0', '4.5', '1e1'),
  'empty-type': {
    about: 'an empty product type',
    outcome: 'failed',
    mentions: () => /ProductType is empty; expected 1-9/,
    edit: (submission) => setValue(submission, 'Product/ProductType', ''),
  },
  malformed: spoiled('an end tag that does not match its start tag', NOT_WELL_FORMED, (xml) => {
    const at = xml.indexOf('</', xml.length / 2);
    return `${xml.slice(0, at)}</X${xml.slice(at + 2)}`;
  }),
  truncated: spoiled(
    'the file ends in the middle',
    NOT_WELL_FORMED,
    (xml, portion) => xml.slice(0, Math.floor(xml.lastIndexOf('</') * Number(portion))),
    ['0.2', '0.5', '0.8', '0.99'],
  ),
  'invalid-product-id': {
    about: 'a product ID in a wrong format',
    outcome: 'failed',
    variants: Object.keys(MISSHAPED),
    mentions: () => /ProductID .*is invalid; expected NNNNN-NN-NNNNN/,
    unidentified: true,
    edit: (submission, variant, { productId }) =>
      setValue(submission, 'Product/ProductID', MISSHAPED[variant]?.(productId) ?? ''),
  },
  'missing-product-id': { ...missing('Product/ProductID'), unidentified: true },
  'missing-design': missing('Product/Design'),
  'missing-presentations': missing('Product/Presentations'),
  'missing-submitter': missing('Submitter'),
  'empty-presentations': {
    about: 'the element Presentations has no Presentation',
    outcome: 'created',
    mentions: () => /Presentations is empty/,
    edit: (submission) => {
      find(submission, 'Product/Presentations').children = [];
    },
  },
  'wrong-root': {
    about: 'a wrong root element',
    outcome: 'failed',
    variants: ['EcigProductSubmissionResponse', 'ProductSubmission', 'EcigProduct', 'ecigProductSubmission'],
    mentions: (root) => new RegExp(`wrong root element "${root}"; expected EcigProductSubmission`),
    unidentified: true,
    edit: (submission, root) => {
      submission.name = root;
    },
  },
  'tobacco-in-ecig-folder': {
    about: 'a tobacco product among the e-cigarette products',
    outcome: 'failed',
    mentions: () => /wrong root element "TobaccoProductSubmission"; expected EcigProductSubmission/,
    unidentified: true,
    makes: 'tobacco product',
  },
  tobacco: {
    about: 'a tobacco product in the folder for tobacco products',
    outcome: 'skipped',
    mentions: () => /tobacco/i,
    unidentified: true,
    makes: 'tobacco product in its folder',
  },
  'duplicate-product': {
    about: 'a product that occurs earlier in the package, with the same or other content',
    outcome: 'skipped',
    variants: ['same content', 'changed content'],
    mentions: () => /occurs more than once/,
    makes: 'duplicate',
  },
  doctype: spoiled(
    'a DOCTYPE, with or without entities',
    /DOCTYPE/,
    (xml, subset) => xml.replace('?>\n', `?>\n<!DOCTYPE EcigProductSubmission${subset}>\n`),
    [
      ' SYSTEM "submissions.dtd"',
      ' [ <!ENTITY company "Nebelwerk"> ]',
      ' [ <!ENTITY a "aaaaaaaaaa"> <!ENTITY b "&a;&a;&a;&a;&a;&a;"> <!ENTITY c "&b;&b;&b;&b;&b;&b;"> ]',
      ' [ <!ENTITY secret SYSTEM "file:///etc/hostname"> ]',
    ],
  ),
  'undefined-entity': spoiled('an entity of HTML, or an unknown entity', NOT_WELL_FORMED, intoDescription, [
    '&nbsp;',
    '&reg;',
    '&company;',
  ]),
  'not-utf8': spoiled('declared UTF-8, but written in ISO-8859-1', /not valid UTF-8/, (xml) =>
    Buffer.from(intoDescription(xml, 'Größe '), 'latin1'),
  ),
  'too-deep': {
    about: 'elements nested far deeper than any product needs',
    outcome: 'failed',
    mentions: () => /nested more than \d+ levels deep.*line \d+/,
    unidentified: true,
    edit: (submission) => find(submission, 'Product').children.push(nested(100)),
  },
  'unknown-code': {
    about: 'an unknown code, other than the product type',
    outcome: 'created',
    variants: [
      'Product/Emissions/Emission/Name=24',
      'Product/Emissions/Emission/Name=25',
      'Product/Ingredients/Ingredient/ToxicityStatus=3',
      'Product/Ingredients/Ingredient/Functions/Function=27',
      'Product/Presentations/Presentation/NationalMarket=NO',
      'Product/Presentations/Presentation/NationalMarket=XI',
      'SubmissionType=8',
    ],
    mentions: (variant) => {
      const [, name, value] = /(\w+)=(\w+)$/.exec(variant) ?? [];
      return new RegExp(`${name}.*(?:"${value}"|\\(confidential\\)) is not`);
    },
    needsLiquid: true,
    edit: (submission, variant) => {
      const [path = '', value = ''] = variant.split('=');
      setValue(submission, path, value);
    },
  },
  'bad-email': {
    about: 'an invalid e-mail address (seen)',
    outcome: 'created',
    variants: [
      'pmi@pmi',
      'n/a',
      'first last@company.example',
      'a@b@company.example',
      `${'x'.repeat(80)}@a.example`,
    ],
    mentions: () => /Email .*is not an e-mail address/,
    edit: replaceParent,
  },
  'missing-attachment': {
    about: 'a reference to an attachment that is not in the package (noted later, when attachments are read)',
    outcome: 'created',
    edit: (submission, _, { seed, ordinal }) => {
      const { attributes } = find(submission, 'Product/Design/ProductionFile');
      attributes.attachmentID = uuidOf(seed, 'missing attachment', ordinal);
    },
  },
  'not-xml': spoiled('plain text', NOT_WELL_FORMED, () => 'This product was notified by telephone.\n'),
  'empty-file': spoiled('an empty file', NOT_WELL_FORMED, () => ''),
} as const satisfies Record<string, FileFault>;

/** Faults of the package as a whole. The refusal of the package must mention `refusal`; without one the fault is harmless. */
const PACKAGE_TABLE = {
  'second-root': {
    about: 'n more root directories',
    refusal: /expected a single root directory but found multiple: /,
  },
  'no-export': {
    about: 'no directory named export in the root directory',
    refusal: /expected a directory named "export"/,
  },
  litter: { about: 'files that operating systems leave: __MACOSX/, .DS_Store, Thumbs.db, n files ._*.xml' },
} as const satisfies Record<string, { about: string; refusal?: RegExp }>;

export type FileFaultName = keyof typeof FILE_TABLE;
export type PackageFaultName = keyof typeof PACKAGE_TABLE;
export type FaultName = FileFaultName | PackageFaultName;

export const FILE_FAULTS: Readonly<Record<FileFaultName, FileFault>> = FILE_TABLE;
export const PACKAGE_FAULTS: Readonly<Record<PackageFaultName, { about: string; refusal?: RegExp }>> =
  PACKAGE_TABLE;

// Object.keys knows the keys of constants only as strings.
export const FILE_FAULT_NAMES = Object.keys(FILE_TABLE) as FileFaultName[];
export const PACKAGE_FAULT_NAMES = Object.keys(PACKAGE_TABLE) as PackageFaultName[];
export const FAULT_NAMES: readonly FaultName[] = [...FILE_FAULT_NAMES, ...PACKAGE_FAULT_NAMES];
