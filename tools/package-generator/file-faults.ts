/**
 * Everything that can be wrong with a product file, and what the importer makes of it (package format §6,
 * architecture §refuse-or-warn). The one table: names, help texts and expectations follow from it.
 */
import { escapeForRegExp, misshape, nested, remove, replaceParent, setValue } from './fault-edits.ts';
import type { ProductPlan } from './product/context.ts';
import { uuidOf } from './random.ts';
import { find, findGroup, type XmlGroup } from './xml/nodes.ts';
import { breakTag, cutOff, intoDescription, withDoctype } from './xml/spoil.ts';

export type Outcome = 'created' | 'failed' | 'skipped';

/** A fault of one product file. */
export interface FileFault {
  about: string;
  outcome: Outcome;
  /** In which of several ways it is wrong; one is chosen for each file. */
  variants?: readonly string[];
  /** What the error or the reason for skipping must mention. */
  reason?: (variant: string) => RegExp;
  /** What a warning must mention. */
  warning?: (variant: string) => RegExp;
  /** Whether the importer can tell the product ID; by default it can. */
  unidentified?: boolean;
  /** Holds what the fault is about: a product with liquid. */
  needsLiquid?: boolean;
  /** Changes the document. */
  edit?: (submission: XmlGroup, variant: string, plan: ProductPlan) => void;
  /** Changes the text; such a file is written plainly. */
  spoil?: (text: string, variant: string) => string | Buffer;
  /** What is made of it besides a product of its own. */
  makes?: 'tobacco product' | 'tobacco product in its folder' | 'duplicate';
}

/** Where the product type stands. */
const TYPE = 'Product/ProductType';

const missing = (path: string, name: string): FileFault => ({
  about: `the element ${name} is missing`,
  outcome: 'failed',
  reason: () => new RegExp(`${name} is missing`),
  edit: (submission) => remove(submission, path, name),
});

const NOT_WELL_FORMED = /not well-formed XML.*line \d+/;

const spoiled = (
  about: string,
  reason: RegExp,
  spoil: NonNullable<FileFault['spoil']>,
  variants?: readonly string[],
): FileFault => ({
  about,
  outcome: 'failed',
  reason: () => reason,
  unidentified: true,
  spoil,
  ...(variants && { variants }),
});

export const FILE_FAULTS = {
  'unknown-type': {
    about: 'a product type that is not in the list',
    outcome: 'failed',
    variants: ['10', '0', '12', '99', '-4', 'Refillable'],
    reason: (value) => new RegExp(`ProductType "${value}" is unknown; expected 1-9`),
    edit: (submission, value) => setValue(submission, TYPE, value),
  },
  'type-not-integral': {
    about: 'a product type like 10.0 (seen) or 4.5',
    outcome: 'failed',
    variants: ['10.0', '4.5', '1e1'],
    reason: (value) => new RegExp(`ProductType "${escapeForRegExp(value)}" is unknown; expected 1-9`),
    edit: (submission, value) => setValue(submission, TYPE, value),
  },
  'empty-type': {
    about: 'an empty product type',
    outcome: 'failed',
    reason: () => /ProductType is empty; expected 1-9/,
    edit: (submission) => setValue(submission, TYPE, ''),
  },
  malformed: spoiled('an end tag that does not match its start tag', NOT_WELL_FORMED, breakTag),
  truncated: spoiled('the file ends in the middle', NOT_WELL_FORMED, cutOff, ['0.2', '0.5', '0.8', '0.99']),
  'invalid-product-id': {
    about: 'a product ID of another form',
    outcome: 'failed',
    variants: ['short', 'four-digit year', 'prefix', 'dots', 'other digits'],
    reason: () => /ProductID .*is invalid; expected NNNNN-NN-NNNNN/,
    unidentified: true,
    edit: (submission, variant, { productId }) =>
      setValue(submission, 'Product/ProductID', misshape(productId, variant)),
  },
  'missing-product-id': { ...missing('Product', 'ProductID'), unidentified: true },
  'missing-design': missing('Product', 'Design'),
  'missing-presentations': missing('Product', 'Presentations'),
  'missing-submitter': missing('', 'Submitter'),
  'empty-presentations': {
    about: 'the element Presentations has no Presentation',
    outcome: 'created',
    warning: () => /Presentations is empty/,
    edit: (submission) => {
      findGroup(submission, 'Product/Presentations').children = [];
    },
  },
  'wrong-root': {
    about: 'another root element',
    outcome: 'failed',
    variants: ['EcigProductSubmissionResponse', 'ProductSubmission', 'EcigProduct', 'ecigProductSubmission'],
    reason: (root) => new RegExp(`wrong root element "${root}"; expected EcigProductSubmission`),
    unidentified: true,
    edit: (submission, root) => {
      submission.name = root;
    },
  },
  'tobacco-in-ecig-folder': {
    about: 'a tobacco product among the e-cigarette products',
    outcome: 'failed',
    reason: () => /wrong root element "TobaccoProductSubmission"; expected EcigProductSubmission/,
    unidentified: true,
    makes: 'tobacco product',
  },
  tobacco: {
    about: 'a tobacco product in the folder for such',
    outcome: 'skipped',
    reason: () => /tobacco/i,
    unidentified: true,
    makes: 'tobacco product in its folder',
  },
  'duplicate-product': {
    about: 'a product that occurred before in the package, the same or changed',
    outcome: 'skipped',
    variants: ['same content', 'changed content'],
    reason: () => /occurs more than once/,
    makes: 'duplicate',
  },
  doctype: spoiled('a DOCTYPE, with or without entities', /DOCTYPE/, withDoctype, [
    ' SYSTEM "submissions.dtd"',
    ' [ <!ENTITY company "Nebelwerk"> ]',
    ' [ <!ENTITY a "aaaaaaaaaa"> <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"> <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"> ]',
    ' [ <!ENTITY secret SYSTEM "file:///etc/hostname"> ]',
  ]),
  'undefined-entity': spoiled('an entity of HTML or of nobody', NOT_WELL_FORMED, intoDescription, [
    '&nbsp;',
    '&reg;',
    '&company;',
  ]),
  'not-utf8': spoiled('declared UTF-8, but written in ISO-8859-1', /not valid UTF-8/, (text) =>
    Buffer.from(intoDescription(text, 'Größe '), 'latin1'),
  ),
  'too-deep': {
    about: 'elements nested far deeper than any product needs',
    outcome: 'failed',
    reason: () => /nested more than \d+ levels deep.*line \d+/,
    unidentified: true,
    edit: (submission) => findGroup(submission, 'Product').children.push(nested(100)),
  },
  'unknown-code': {
    about: 'a code, other than the product type, that is not in its list',
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
    warning: (variant) => {
      const [path = '', value = ''] = variant.split('=');
      return new RegExp(`${path.slice(path.lastIndexOf('/') + 1)}.*(?:"${value}"|\\(confidential\\)) is not`);
    },
    needsLiquid: true,
    edit: (submission, variant) => {
      const [path = '', value = ''] = variant.split('=');
      setValue(submission, path, value);
    },
  },
  'bad-email': {
    about: 'an e-mail address that is none (seen)',
    outcome: 'created',
    variants: [
      'pmi@pmi',
      'n/a',
      'first last@company.example',
      'a@b@company.example',
      `${'x'.repeat(80)}@a.example`,
    ],
    warning: () => /Email .*is not an e-mail address/,
    edit: (submission, email) => replaceParent(submission, email),
  },
  'missing-attachment': {
    about: 'a reference to an attachment that is not in the package (noted later, when attachments are read)',
    outcome: 'created',
    edit: (submission, _, { seed, ordinal }) => {
      const production = find(submission, 'Product/Design/ProductionFile');
      if (production?.form !== 'reference') throw new Error('Every product has a ProductionFile');
      production.attributes.attachmentID = uuidOf(seed, 'missing attachment', ordinal);
    },
  },
  'not-xml': spoiled('plain text', NOT_WELL_FORMED, () => 'This product was notified by telephone.\n'),
  'empty-file': spoiled('no bytes at all', NOT_WELL_FORMED, () => ''),
} as const satisfies Record<string, FileFault>;

export type FileFaultName = keyof typeof FILE_FAULTS;
