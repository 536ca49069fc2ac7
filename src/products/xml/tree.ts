/**
 * The document as a tree of elements in document order. fast-xml-parser gives the tree and its text, the
 * gate gives the start tags. The document is refused if the two see different elements.
 */
import { XMLParser } from 'fast-xml-parser';
import { excerpt, messageOf } from '../../common/text.ts';
import { resolveReferences, XmlProblem } from './decode.ts';
import { localName, readStartTags, type StartTag, XML_LIMITS } from './gate.ts';

export interface XmlElement {
  /** Local name: a namespace prefix has no meaning in this format (package format §2). */
  readonly name: string;
  readonly attributes: StartTag['attributes'];
  readonly children: readonly XmlElement[];
  /** All character data directly in the element. */
  readonly text: string;
  /** Line of the start tag, from 1. */
  readonly line: number;
}

/** Key of a CDATA section. No element has this name. */
const CDATA = '#cdata';

/**
 * Exact settings (decision §an-xml-gate): the defaults turn `01234` into a number and trim. `jPath` saves
 * building the paths for callbacks that are not used. `contentOf` resolves references as the reader of attachments does.
 */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  jPath: false,
  processEntities: false,
  cdataPropName: CDATA,
  maxNestedTags: XML_LIMITS.depth + 1,
  // Safe here: the names are only keys of objects, and no code calls methods of them.
  onDangerousProperty: (name) => name,
});

/** A node of fast-xml-parser in `preserveOrder` form: one key, the element's name, `#text` or `#cdata`. */
type OrderedNode = Record<string, OrderedNode[] | string>;

/**
 * Parses a document and returns its root element.
 *
 * @throws XmlProblem when the text is not well-formed, exceeds the limits, or has another root
 */
export function parseXml(text: string, rootName: string): XmlElement {
  const tags = readStartTags(text);
  let nodes: OrderedNode[];
  try {
    nodes = parser.parse(withoutInstructions(text)) as OrderedNode[];
  } catch (error) {
    throw new XmlProblem(messageOf(error));
  }
  const root = joined(nodes, tags);
  if (root.name !== rootName) throw wrongRoot(root.name, root.line, rootName);
  return root;
}

/** The problem has no code of the Commission: its schemas have further roots. */
export function wrongRoot(name: string, line: number, expected: string): XmlProblem {
  return new XmlProblem(`wrong root element "${excerpt(name)}"; expected ${expected}`, line);
}

/** Comments, CDATA sections, and processing instructions with the XML declaration. */
const NO_ELEMENTS = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>/g;

/**
 * fast-xml-parser reads quotes in processing instructions, which have no meaning there (XML §2.6), and would lose the
 * text up to the next quote. Lines are those of the gate, so the text may become shorter.
 *
 * @param text passed the gate, so every part has its end
 */
function withoutInstructions(text: string): string {
  return text.replace(NO_ELEMENTS, (part) => (part.startsWith('<?') ? '' : part));
}

const DISAGREEMENT = 'the XML is ambiguous: two parsers read it differently';

/** Joins the tree and the start tags. Both are in document order. */
function joined(document: readonly OrderedNode[], tags: readonly StartTag[]): XmlElement {
  let next = 0;

  function contentOf(nodes: readonly OrderedNode[]): Pick<XmlElement, 'children' | 'text'> {
    const children: XmlElement[] = [];
    let text = '';
    for (const node of nodes) {
      for (const name in node) {
        const content = node[name];
        if (typeof content === 'string') text += resolveReferences(content);
        else if (name === CDATA) text += content?.[0]?.['#text'] ?? '';
        else if (content !== undefined) children.push(elementOf(name, content));
      }
    }
    return { children, text };
  }

  function elementOf(name: string, content: readonly OrderedNode[]): XmlElement {
    const tag = tags[next];
    next += 1;
    if (tag?.name !== name) throw new XmlProblem(DISAGREEMENT, tag?.line);
    return {
      name: localName(name),
      attributes: tag.attributes,
      ...contentOf(content),
      line: tag.line,
    };
  }

  const [root] = contentOf(document).children;
  if (!root || next !== tags.length) throw new XmlProblem(DISAGREEMENT);
  return root;
}
