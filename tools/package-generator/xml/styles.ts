/**
 * The ways of writing a product file that are met in practice (package format §6). The importer accepts
 * all of them; some it notes as warnings on the submission.
 */
import type { Random } from '../random.ts';
import { ENCODING_LABELS, type Encoding } from './encode.ts';
import { type Manner, PLAIN_MANNER } from './write.ts';

interface Style {
  about: string;
  /** Whether the importer notes a warning. */
  warns: boolean;
  /** Of the styles of one group a file can have only one. */
  group?: 'encoding' | 'namespace';
  encoding?: Encoding;
  manner?: Partial<Manner>;
}

const NAMESPACE = 'urn:example:eu-ceg';
const SCHEMA_INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

const encoded = (encoding: Encoding, about: string): Style => ({
  about,
  warns: false,
  group: 'encoding',
  encoding,
  manner: {
    declared: ENCODING_LABELS[encoding],
    ...(encoding === 'iso-8859-1' && { highestCharacter: 0xff }),
  },
});

const written = (about: string, manner: Partial<Manner>): Style => ({ about, warns: false, manner });
const respelled = (about: string): Style => ({ about, warns: false });
const deviating = (about: string): Style => ({ about, warns: true });

const STYLES = {
  bom: encoded('utf-8-bom', 'UTF-8 with a byte order mark'),
  'utf-16le': encoded('utf-16le', 'UTF-16, little endian, with a byte order mark'),
  'utf-16be': encoded('utf-16be', 'UTF-16, big endian, with a byte order mark'),
  'iso-8859-1': encoded('iso-8859-1', 'declared ISO-8859-1; other characters as references'),
  'no-declaration': { ...written('UTF-8 without an XML declaration', { declared: null }), group: 'encoding' },
  'namespace-prefix': {
    ...written('every element with a namespace prefix', {
      prefix: 'ceg',
      rootAttributes: { 'xmlns:ceg': NAMESPACE },
    }),
    group: 'namespace',
  },
  'default-namespace': {
    ...written('a default namespace', { rootAttributes: { xmlns: NAMESPACE } }),
    group: 'namespace',
  },
  'schema-location': {
    ...written('a reference to the schema on the root element', {
      rootAttributes: { 'xmlns:xsi': SCHEMA_INSTANCE, 'xsi:noNamespaceSchemaLocation': 'submissions.xsd' },
    }),
    group: 'namespace',
  },
  cdata: written('values in CDATA sections, in part or as a whole', { cdata: true }),
  comments: written('comments and processing instructions between elements and in values', {
    comments: true,
  }),
  padding: written('blanks and line breaks round values', { padding: true }),
  'single-quotes': written('attributes in single quotes, some on a line of their own', { quote: "'" }),
  'character-references': written('characters of values and attributes as references', { references: true }),
  'empty-pairs': written('empty elements as start tag and end tag', { pairedEmpties: true }),
  crlf: written('lines that end in CR LF', { newline: '\r\n' }),
  'one-line': written('no line breaks between elements', { indent: null }),
  'zoned-dates': respelled('dates and years with Z or an offset'),
  'boolean-spellings': respelled('booleans and flags as 1, 0, TRUE, FALSE'),
  'padded-codes': respelled('codes as 04, +4 or 4.0, integers as 04 or +4'),
  'unknown-elements': deviating('elements that the schema does not know'),
  'missing-flags': deviating('values without the attribute confidential'),
  'other-order': deviating('elements in another order than the schema'),
  misspellings: deviating('submitterId for submitterID, HasAffiliate for HasAffiliates'),
  'short-dates': deviating('dates like 2017-3-1'),
} as const satisfies Record<string, Style>;

export type StyleName = keyof typeof STYLES;

// Object.keys knows the keys of a constant only as strings.
export const STYLE_NAMES = Object.keys(STYLES) as StyleName[];

/** Every style with its description and whether the importer warns of it. */
export const WRITING_STYLES: Readonly<Record<StyleName, Pick<Style, 'about' | 'warns'>>> = STYLES;

export function anyWarns(styles: readonly StyleName[]): boolean {
  return styles.some((name) => STYLES[name].warns);
}

/**
 * The styles of the n-th varied file: each in its turn, so that a few dozen files show all, and a few others
 * that go with it. Half of the files have none that warns.
 */
export function chooseStyles(random: Random, n: number): StyleName[] {
  const turn = STYLE_NAMES[n % STYLE_NAMES.length];
  const allowed = random.chance(0.5) ? STYLE_NAMES : STYLE_NAMES.filter((name) => !STYLES[name].warns);
  return requireCompatible(
    [...(turn ? [turn] : []), ...random.shuffle(allowed).slice(0, random.int(0, 6))],
    'drop',
  );
}

/**
 * Styles that exclude one another cannot be had together: the later one is dropped, or refused.
 *
 * @throws RangeError when two of them exclude one another and `others` is `refuse`
 */
export function requireCompatible(styles: readonly StyleName[], others: 'drop' | 'refuse'): StyleName[] {
  const chosen: StyleName[] = [];
  for (const name of styles) {
    const rival = chosen.find((other) => excludes(name, other));
    if (rival === undefined) chosen.push(name);
    else if (others === 'refuse' && rival !== name)
      throw new RangeError(`The styles ${rival} and ${name} exclude one another`);
  }
  return chosen;
}

function excludes(one: StyleName, other: StyleName): boolean {
  const { group }: Style = STYLES[one];
  const { group: otherGroup }: Style = STYLES[other];
  const dates = one.endsWith('-dates') && other.endsWith('-dates');
  return one === other || dates || (group !== undefined && group === otherGroup);
}

/** How a file of these styles is written, and in which encoding. */
export function mannerOf(styles: readonly StyleName[]): { manner: Manner; encoding: Encoding } {
  let manner = PLAIN_MANNER;
  let encoding: Encoding = 'utf-8';
  for (const name of styles) {
    const style: Style = STYLES[name];
    manner = { ...manner, ...style.manner };
    encoding = style.encoding ?? encoding;
  }
  return { manner, encoding };
}
