/** Styles that change the spelling of values, the order of elements, or add and drop what is not meant. */
import type { Random } from '../random.ts';
import { findGroup, isGroup, isLeaf, plain, type XmlGroup, type XmlLeaf, type XmlNode } from './nodes.ts';
import type { StyleName } from './styles.ts';

/**
 * Drops flags from a few values. To be done before it is asked what should be read: a value without a
 * flag counts as confidential.
 */
export function dropFlags(root: XmlGroup, random: Random): XmlGroup {
  // These are in every product, so that there is always something to drop.
  const sure = new Set(['ProductType', 'LaunchDate']);
  return mapNodes(root, (node) => {
    if (node.form === 'reference' || !node.flagged) return node;
    if (!sure.has(node.name) && !random.chance(0.1)) return node;
    const { confidential: _, ...attributes } = node.attributes;
    return { ...node, attributes };
  });
}

/** The document as these styles spell it. What it means stays the same. */
export function respell(root: XmlGroup, styles: readonly StyleName[], random: Random): XmlGroup {
  const has = new Set(styles);
  let spelled = mapNodes(root, (node) => {
    if (node.form === 'reference') return node;
    const attributes = has.has('boolean-spellings') ? respellFlag(node.attributes, random) : node.attributes;
    return isLeaf(node)
      ? { ...node, attributes, value: respellValue(node, has, random) }
      : { ...node, attributes };
  });
  if (has.has('misspellings')) spelled = misspell(spelled);
  if (has.has('unknown-elements')) addUnknown(spelled, random);
  if (has.has('other-order')) disorder(spelled, random);
  return spelled;
}

function respellValue({ form, value }: XmlLeaf, has: ReadonlySet<StyleName>, random: Random): string {
  switch (form) {
    case 'boolean':
      return has.has('boolean-spellings')
        ? random.pick(BOOLEANS[value === 'true' ? 'true' : 'false'])
        : value;
    case 'code':
      return has.has('padded-codes')
        ? random.pick([`0${value}`, ` ${value} `, `+${value}`, `${value}.0`])
        : value;
    case 'integer':
      return has.has('padded-codes') ? random.pick([`0${value}`, ` ${value} `, `+${value}`]) : value;
    case 'date':
      if (has.has('short-dates')) return shortDate(value);
      return has.has('zoned-dates') ? value + random.pick(ZONES) : value;
    case 'year':
      return has.has('zoned-dates') ? value + random.pick(ZONES) : value;
    default:
      return value;
  }
}

const BOOLEANS = { true: ['1', 'TRUE', 'true', 'True'], false: ['0', 'FALSE', 'false', 'False'] } as const;
const ZONES = ['Z', '+01:00', '+08:00', '-05:00', ''];

function respellFlag(attributes: XmlGroup['attributes'], random: Random): XmlGroup['attributes'] {
  const { confidential } = attributes;
  if (confidential === undefined) return attributes;
  return { ...attributes, confidential: random.pick(BOOLEANS[confidential === 'true' ? 'true' : 'false']) };
}

/** Without leading zeros, or with dots where there are none: it must not be a plain date by chance. */
function shortDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number);
  const short = `${year}-${month}-${day}`;
  return short === date ? `${day}.${month}.${year}` : short;
}

function misspell(root: XmlGroup): XmlGroup {
  return mapNodes(root, (node) => {
    if (node.name === 'HasAffiliates') return { ...node, name: 'HasAffiliate' };
    if (node.name !== 'Submitter' || node.form === 'reference') return node;
    const { submitterID = '', ...attributes } = node.attributes;
    return { ...node, attributes: { ...attributes, submitterId: submitterID } };
  });
}

function addUnknown(root: XmlGroup, random: Random): void {
  const product = findGroup(root, 'Product');
  const places = product.children.filter(({ form }) => form === 'group');
  const place = random.pick([product, ...places]);
  if (!isGroup(place)) return;
  const unknown = random.pick<XmlNode>([
    plain('text', 'InternalReference', 'PLM-4711 & <draft>'),
    { ...plain('text', 'ReviewedBy', 'Zoë'), attributes: { confidential: 'false', role: 'QA' } },
    {
      form: 'group',
      name: 'Extension',
      attributes: {},
      flagged: false,
      children: [plain('text', 'Design', 'v2')],
    },
  ]);
  place.children.splice(random.int(0, place.children.length), 0, unknown);
}

/** Moves one child of a group elsewhere. */
function disorder(root: XmlGroup, random: Random): void {
  const product = findGroup(root, 'Product');
  const place = random.pick([product, ...product.children.filter(({ form }) => form === 'group')]);
  if (!isGroup(place)) return;
  const [moved] = place.children.splice(0, 1);
  if (moved) place.children.splice(random.int(1, place.children.length), 0, moved);
}

function mapNodes(root: XmlGroup, change: (node: XmlNode) => XmlNode): XmlGroup {
  const visit = (node: XmlNode): XmlNode =>
    change(isGroup(node) ? { ...node, children: node.children.map(visit) } : node);
  const mapped = visit(root);
  if (!isGroup(mapped)) throw new Error('The root must stay a group');
  return mapped;
}
