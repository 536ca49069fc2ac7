/** Styles that change the spelling of values or the order of elements, or add and drop meaningless parts. */
import { type Form, find, group, named, text, unflagged, walk, type XmlNode } from './nodes.ts';
import type { Random } from './random.ts';
import type { StyleName } from './styles.ts';

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
    named('InternalReference', unflagged(text('PLM-4711 & <draft>'))),
    named('ReviewedBy', { ...text('Zoë'), attributes: { confidential: 'false', role: 'QA' } }),
    named('Extension', group({ Design: unflagged(text('v2')) })),
  ]);
  children.splice(random.int(0, children.length), 0, unknown);
}

/** Moves the first child of a group elsewhere. */
function disorder(root: XmlNode, random: Random): void {
  const { children } = somePlace(root, random);
  const moved = children.splice(0, 1);
  children.splice(random.int(1, children.length), 0, ...moved);
}
