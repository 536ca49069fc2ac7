/**
 * All faults of a product file or of a package, and the importer's answer to each (package format §6,
 * decision §refuse-or-warn). Names, help texts and expectations follow from these tables.
 */
import type { ProductPlan } from './context.ts';
import { find, type XmlNode } from './document.ts';
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
  /** The file is in the folder for tobacco products. */
  inTobaccoFolder?: boolean;
  /** The file repeats an earlier product of the package. */
  repeats?: boolean;
}

type More = Omit<FileFault, 'about' | 'outcome' | 'mentions'>;
type Mentions = RegExp | ((variant: string) => RegExp);

const fault =
  (outcome: Outcome, always: More = {}) =>
  (about: string, mentions: Mentions, more: More): FileFault => ({
    about,
    outcome,
    mentions: mentions instanceof RegExp ? () => mentions : mentions,
    ...always,
    ...more,
  });
const failed = fault('failed');
/** The importer cannot tell the product ID. */
const unidentified = fault('failed', { unidentified: true });
const skipped = fault('skipped');
const warned = fault('created');

const NOT_WELL_FORMED = /not well-formed XML.*line \d+/;

/** Gives a leaf another value, written unchanged. */
function setValue(submission: XmlNode, path: string, value: string): void {
  Object.assign(find(submission, path), { value, form: 'text' });
}

/** The importer recognises a tobacco product by the name of its root only, and does not import it (package format §7). */
function becomeTobacco(submission: XmlNode): void {
  submission.name = 'TobaccoProductSubmission';
}

const missing = (name: string, parent?: string, more: More = {}) =>
  failed(`the element ${name} is missing`, new RegExp(`${name} is missing`), {
    edit(submission) {
      const from = parent === undefined ? submission : find(submission, parent);
      from.children = from.children.filter((child) => child.name !== name);
    },
    ...more,
  });

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

const FILE_TABLE = {
  'unknown-type': failed(
    'a product type that is not in the list, or like 10.0 (seen)',
    (value) => new RegExp(`ProductType "${RegExp.escape(value)}" is unknown; expected 1-9`),
    {
      variants: ['10', '0', '12', '99', '-4', 'Refillable', '10.0', '4.5', '1e1'],
      edit: (submission, value) => setValue(submission, 'Product/ProductType', value),
    },
  ),
  'empty-type': failed('an empty product type', /ProductType is empty; expected 1-9/, {
    edit: (submission) => setValue(submission, 'Product/ProductType', ''),
  }),
  malformed: unidentified('an end tag that does not match its start tag', NOT_WELL_FORMED, {
    spoil: (xml) => xml.replace(/(?<=<\/)(?=Design>)/, 'X'),
  }),
  truncated: unidentified('the file ends in the middle', NOT_WELL_FORMED, {
    variants: ['0.2', '0.5', '0.8', '0.99'],
    spoil: (xml, portion) => xml.slice(0, Math.floor(xml.lastIndexOf('</') * Number(portion))),
  }),
  'invalid-product-id': unidentified(
    'a product ID in a wrong format',
    /ProductID .*is invalid; expected NNNNN-NN-NNNNN/,
    {
      variants: Object.keys(MISSHAPED),
      edit: (submission, variant, { productId }) =>
        setValue(submission, 'Product/ProductID', MISSHAPED[variant]?.(productId) ?? ''),
    },
  ),
  'missing-product-id': missing('ProductID', 'Product', { unidentified: true }),
  'missing-design': missing('Design', 'Product'),
  'missing-presentations': missing('Presentations', 'Product'),
  'missing-submitter': missing('Submitter'),
  'empty-presentations': warned('the element Presentations has no Presentation', /Presentations is empty/, {
    edit(submission) {
      find(submission, 'Product/Presentations').children = [];
    },
  }),
  'wrong-root': unidentified(
    'a wrong root element',
    (root) => new RegExp(`wrong root element "${root}"; expected EcigProductSubmission`),
    {
      variants: [
        'EcigProductSubmissionResponse',
        'ProductSubmission',
        'EcigProduct',
        'ecigProductSubmission',
      ],
      edit(submission, root) {
        submission.name = root;
      },
    },
  ),
  'tobacco-in-ecig-folder': unidentified(
    'a tobacco product among the e-cigarette products',
    /wrong root element "TobaccoProductSubmission"; expected EcigProductSubmission/,
    { edit: becomeTobacco },
  ),
  tobacco: skipped('a tobacco product in the folder for tobacco products', /tobacco/i, {
    unidentified: true,
    inTobaccoFolder: true,
    edit: becomeTobacco,
  }),
  'duplicate-product': skipped(
    'a product that occurs earlier in the package, with the same or other content',
    /occurs more than once/,
    { variants: ['same content', 'changed content'], repeats: true },
  ),
  doctype: unidentified('a DOCTYPE, with or without entities', /DOCTYPE/, {
    variants: [
      ' SYSTEM "submissions.dtd"',
      ' [ <!ENTITY company "Nebelwerk"> ]',
      ' [ <!ENTITY a "aaaaaaaaaa"> <!ENTITY b "&a;&a;&a;&a;&a;&a;"> <!ENTITY c "&b;&b;&b;&b;&b;&b;"> ]',
      ' [ <!ENTITY secret SYSTEM "file:///etc/hostname"> ]',
    ],
    spoil: (xml, subset) => xml.replace('?>\n', `?>\n<!DOCTYPE EcigProductSubmission${subset}>\n`),
  }),
  'undefined-entity': unidentified('an entity of HTML, or an unknown entity', NOT_WELL_FORMED, {
    variants: ['&nbsp;', '&reg;', '&company;'],
    spoil: intoDescription,
  }),
  'not-utf8': unidentified('declared UTF-8, but written in ISO-8859-1', /not valid UTF-8/, {
    spoil: (xml) => Buffer.from(intoDescription(xml, 'Größe '), 'latin1'),
  }),
  'unknown-code': warned(
    'an unknown code, other than the product type',
    (variant) => {
      const [, name, value] = /(\w+)=(\w+)$/.exec(variant) ?? [];
      return new RegExp(`${name}.*(?:"${value}"|\\(confidential\\)) is not`);
    },
    {
      variants: [
        'Product/Emissions/Emission/Name=24',
        'Product/Emissions/Emission/Name=25',
        'Product/Ingredients/Ingredient/ToxicityStatus=3',
        'Product/Ingredients/Ingredient/Functions/Function=27',
        'Product/Presentations/Presentation/NationalMarket=NO',
        'Product/Presentations/Presentation/NationalMarket=XI',
        'SubmissionType=8',
      ],
      needsLiquid: true,
      edit(submission, variant) {
        const [path = '', value = ''] = variant.split('=');
        setValue(submission, path, value);
      },
    },
  ),
  'missing-attachment': {
    about: 'a reference to an attachment that is not in the package (noted later, when attachments are read)',
    outcome: 'created',
    edit(submission, _, { seed, ordinal }) {
      const { attributes } = find(submission, 'Product/Design/ProductionFile');
      attributes.attachmentID = uuidOf(seed, 'missing attachment', ordinal);
    },
  },
  'not-xml': unidentified('plain text, or an empty file', NOT_WELL_FORMED, {
    variants: ['This product was notified by telephone.\n', ''],
    spoil: (_, text) => text,
  }),
} as const satisfies Record<string, FileFault>;

/**
 * Faults of the package as a whole. The refusal of the package must mention `refusal`; without one the fault is
 * harmless.
 */
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
