/** The document as a tree of elements in document order, made by fast-xml-parser from text that passed the gate. */
import { XMLParser } from 'fast-xml-parser';
import { messageOf } from '../../domain/errors.ts';
import { requireWellFormed, XML_LIMITS } from './gate.ts';
import { XmlProblem } from './xml-problem.ts';

export interface XmlElement {
  /** Local name: a namespace prefix says nothing in this format (package format §2). */
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /** All character data directly in the element. */
  text: string;
  /** Line of the start tag, from 1. */
  line: number;
}

const TEXT = '#text';
const ATTRIBUTES = ':@';
const METADATA = XMLParser.getMetaDataSymbol() as symbol;

/**
 * Exact settings (design §10): the defaults turn `01234` into a number, drop attributes and leave
 * numeric character references as they are. `htmlEntities` as an object means "these named entities and
 * numeric references": exactly XML's own five.
 */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  removeNSPrefix: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  captureMetaData: true,
  processEntities: {
    enabled: true,
    maxTotalExpansions: Number.POSITIVE_INFINITY,
    maxExpandedLength: Number.POSITIVE_INFINITY,
  },
  htmlEntities: { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' } as unknown as boolean,
  maxNestedTags: XML_LIMITS.depth + 1,
});

/** A node of fast-xml-parser in `preserveOrder` form. */
type OrderedNode = { [key: string]: OrderedNode[] | string | Record<string, string> } & {
  [METADATA]?: { startIndex?: number };
};

/**
 * Parses a document and returns its root element.
 *
 * @throws XmlProblem when the text is not well-formed or beyond the limits
 */
export function parseXml(text: string): XmlElement {
  requireWellFormed(text);
  const normalized = text.replace(/\r\n?/g, '\n');
  let nodes: OrderedNode[];
  try {
    nodes = parser.parse(normalized) as OrderedNode[];
  } catch (error) {
    throw new XmlProblem(messageOf(error));
  }
  const lineOf = lineCounter(normalized);
  const root = nodes.map((node) => toElement(node, lineOf)).find((element) => element !== null);
  if (!root) throw new XmlProblem('there is no element');
  return root;
}

function toElement(node: OrderedNode, lineOf: (offset: number) => number): XmlElement | null {
  const name = Object.keys(node).find((key) => key !== ATTRIBUTES);
  if (name === undefined || name === TEXT) return null;
  const content = node[name] as OrderedNode[];
  const line = lineOf(node[METADATA]?.startIndex ?? 0);
  const children: XmlElement[] = [];
  let text = '';
  for (const child of content) {
    const characters = child[TEXT];
    if (typeof characters === 'string') text += characters;
    else {
      const element = toElement(child, lineOf);
      if (element) children.push(element);
    }
  }
  return { name, attributes: (node[ATTRIBUTES] ?? {}) as Record<string, string>, children, text, line };
}

/** Elements come in document order, so one pass over the text counts all their lines. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    for (; at < offset; at += 1) if (text.charCodeAt(at) === 10) line += 1;
    return line;
  };
}
