/**
 * The writing styles of product files in practice (package format §6). The importer accepts all of them, some
 * of them with a warning on the submission. `write.ts` applies the styles that are not about values or elements.
 */
import { type Form, find, group, named, unflagged, walk, type XmlNode } from './document.ts';
import type { Random } from './random.ts';

export interface Style {
  about: string;
  /** Whether the importer notes a warning. */
  warns: boolean;
  /** A file can have one style of each group. */
  group?: 'encoding' | 'namespace' | 'dates' | undefined;
}

const fine = (about: string, group?: Style['group']): Style => ({ about, group, warns: false });
const warned = (about: string, group?: Style['group']): Style => ({ about, group, warns: true });

const TABLE = {
  bom: fine('UTF-8 with a byte order mark', 'encoding'),
  'utf-16le': fine('UTF-16, little endian, with a byte order mark', 'encoding'),
  'utf-16be': fine('UTF-16, big endian, with a byte order mark', 'encoding'),
  'iso-8859-1': fine('declared ISO-8859-1, with other characters as character references', 'encoding'),
  'no-declaration': fine('UTF-8 without an XML declaration', 'encoding'),
  'namespace-prefix': fine('every element with a namespace prefix', 'namespace'),
  'default-namespace': fine('a default namespace', 'namespace'),
  'schema-location': fine('a reference to the schema on the root element', 'namespace'),
  cdata: fine('values partly or completely in CDATA sections'),
  comments: fine('comments and processing instructions between elements and in values'),
  padding: fine('spaces and line breaks around values'),
  'single-quotes': fine('attributes in single quotes, some on a separate line'),
  'character-references': fine('characters of values and attributes as character references'),
  'empty-pairs': fine('empty elements as start tag and end tag'),
  crlf: fine('lines that end in CR LF'),
  'one-line': fine('no line breaks between elements'),
  'zoned-dates': fine('dates and years with Z or an offset', 'dates'),
  'boolean-spellings': fine('booleans and flags as 1, 0, TRUE, FALSE'),
  'padded-codes': fine('codes as 04, +4 or 4.0, integers as 04 or +4'),
  'unknown-elements': warned('elements that are not in the schema'),
  'missing-flags': warned('values without the attribute confidential'),
  'other-order': warned('elements in another order than in the schema'),
  misspellings: warned('submitterId for submitterID, HasAffiliate for HasAffiliates'),
  'short-dates': warned('dates like 2017-3-1', 'dates'),
} as const satisfies Record<string, Style>;

export type StyleName = keyof typeof TABLE;

export const STYLES: Readonly<Record<StyleName, Style>> = TABLE;

// Object.keys knows the keys of a constant only as strings.
export const STYLE_NAMES = Object.keys(TABLE) as StyleName[];

/**
 * The styles of the n-th varied file: one in turn, so that a few dozen files show all, and up to six others.
 * Half of the files have no warning style among these others.
 */
export function chooseStyles(random: Random, n: number): StyleName[] {
  const turn = STYLE_NAMES.slice(n % STYLE_NAMES.length).slice(0, 1);
  const allowed = random.chance(0.5) ? STYLE_NAMES : STYLE_NAMES.filter((name) => !STYLES[name].warns);
  return compatible([...turn, ...random.shuffle(allowed).slice(0, random.int(0, 6))]);
}

/** Removes the styles that an earlier one excludes. */
export function compatible(styles: readonly StyleName[]): StyleName[] {
  const chosen: StyleName[] = [];
  for (const name of styles) {
    const { group } = STYLES[name];
    const isExcluded = chosen.some((other) => other === name || (group && group === STYLES[other].group));
    if (!isExcluded) chosen.push(name);
  }
  return chosen;
}

const BOOLEANS = { true: ['1', 'TRUE', 'true', 'True'], false: ['0', 'FALSE', 'false', 'False'] };
const booleans = (value: string) => BOOLEANS[value === 'true' ? 'true' : 'false'];
const integers = (value: string) => [`0${value}`, ` ${value} `, `+${value}`];
const zoned = (value: string) => ['Z', '+01:00', '+08:00', '-05:00', ''].map((zone) => value + zone);

/** The spellings of a value that a style may choose. */
const SPELLINGS: Partial<Record<StyleName, Partial<Record<Form, (value: string) => string[]>>>> = {
  'boolean-spellings': { boolean: booleans },
  'padded-codes': { integer: integers, code: (value) => [...integers(value), `${value}.0`] },
  'zoned-dates': { date: zoned, year: zoned },
  'short-dates': { date: (value) => [shortDate(value)] },
};

/** Dates without leading zeros, or with dots when there are none: the result must not be a plain date by chance. */
function shortDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number);
  const short = `${year}-${month}-${day}`;
  return short === date ? `${day}.${month}.${year}` : short;
}

/**
 * Drops flags from a few values. This comes before the oracle reads the document: a value without a flag counts as
 * confidential.
 */
export function dropFlags(root: XmlNode, random: Random): void {
  // Every product has these elements, so there is always a flag to drop.
  const sure = ['ProductType', 'LaunchDate'];
  for (const node of walk(root)) {
    if (sure.includes(node.name) || random.chance(0.1)) delete node.attributes.confidential;
  }
}

/** Spells the document in these styles. Its meaning stays the same. */
export function respell(root: XmlNode, styles: readonly StyleName[], random: Random): void {
  for (const node of walk(root)) {
    for (const style of styles) {
      const spellings = SPELLINGS[style]?.[node.form];
      if (spellings) node.value = random.pick(spellings(node.value));
    }
    const { confidential } = node.attributes;
    if (confidential !== undefined && styles.includes('boolean-spellings'))
      node.attributes.confidential = random.pick(booleans(confidential));
  }
  if (styles.includes('misspellings')) misspell(root);
  if (styles.includes('unknown-elements')) addUnknown(root, random);
  if (styles.includes('other-order')) disorder(root, random);
}

function misspell(root: XmlNode): void {
  for (const node of walk(root)) {
    if (node.name === 'HasAffiliates') node.name = 'HasAffiliate';
    if (node.name !== 'Submitter') continue;
    const { submitterID = '', ...attributes } = node.attributes;
    node.attributes = { ...attributes, submitterId: submitterID };
  }
}

/** The product or one of its groups. */
function somePlace(root: XmlNode, random: Random): XmlNode {
  const product = find(root, 'Product');
  return random.pick([product, ...product.children.filter(({ form }) => form === 'group')]);
}

function addUnknown(root: XmlNode, random: Random): void {
  const { children } = somePlace(root, random);
  const unknown = random.pick([
    named('Extension', group(unflagged({ Design: 'PLM-4711 & <draft>' }))),
    named('ReviewedBy', { ...named('', 'Zoë'), attributes: { confidential: 'false', role: 'QA' } }),
  ]);
  children.splice(random.int(0, children.length), 0, unknown);
}

/** Moves the first child of a group elsewhere. */
function disorder(root: XmlNode, random: Random): void {
  const { children } = somePlace(root, random);
  const moved = children.splice(0, 1);
  children.splice(random.int(1, children.length), 0, ...moved);
}
