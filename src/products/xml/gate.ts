/**
 * The gate in front of fast-xml-parser, which accepts truncated and mismatched documents silently
 * (decision §an-xml-gate). It is a strict pass: it refuses malformed and hostile documents, and
 * reads the start tags exactly as XML specifies.
 */
import { SaxesParser } from '@rubensworks/saxes';
import { XmlProblem } from './decode.ts';
import { syntaxProblem } from './syntax-problem.ts';

/**
 * Limits far above any genuine product. The largest published ones have a few thousand elements, nine levels deep,
 * and the schema limits texts to 1,000 characters. A permitted document takes about 50 MB and one or two seconds.
 */
export const XML_LIMITS = {
  depth: 64,
  /** Elements, comments, CDATA sections and processing instructions together: every `<` that does not end an element. */
  nodes: 50_000,
  attributesPerElement: 64,
  /** Characters from one `<` to the next: of a text or a tag. fast-xml-parser needs 32 bytes per character of text. */
  runLength: 64 * 1024,
} as const;

export interface StartTag {
  /** Name as written, with its prefix. */
  readonly name: string;
  /** By local name; an unprefixed attribute wins over a prefixed one. Normalized as XML specifies (§3.3.3). */
  readonly attributes: Readonly<Record<string, string>>;
  /** From 1. */
  readonly line: number;
}

/** The parser gets the text in pieces of this size, so that a limit ends the reading early. */
const PIECE = 64 * 1024;

/** Names with a meaning for JavaScript objects. fast-xml-parser refuses them as well. */
const UNSAFE_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The start tags of a document, in its order.
 *
 * @throws XmlProblem with line and column when the text is not well-formed XML, has a DOCTYPE (and with
 *   it any entity of its own), or exceeds the limits
 */
export function readStartTags(text: string): StartTag[] {
  refuseLongAndMany(text);
  // Another version in the XML declaration is ignored: products do not use its extra characters.
  const parser = new SaxesParser({ position: true, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const refuse = (message: string): never => {
    throw new XmlProblem(`${message} at column ${parser.column}`, parser.line);
  };
  const refuseUnsafeName = (name: string) => {
    if (UNSAFE_NAMES.has(name)) refuse(`the name "${name}" is not allowed`);
  };
  const tags: StartTag[] = [];
  let attributes: Record<string, string> = {};
  let attributesOfTag = 0;
  let depth = 0;
  let closed = '';
  // Exactly five listeners: with eight, V8 turns the parser into a dictionary object, and each character takes five
  // times as long.
  parser.on('error', (error) => {
    const { line, column, position } = parser;
    throw syntaxProblem(error.message, { text: text.slice(0, position), line, column, closed });
  });
  parser.on('doctype', () => refuse('a DOCTYPE is not accepted'));
  parser.on('opentagstart', ({ name }) => {
    depth += 1;
    attributes = {};
    attributesOfTag = 0;
    if (depth > XML_LIMITS.depth) refuse(`elements are nested more than ${XML_LIMITS.depth} levels deep`);
    refuseUnsafeName(name);
    tags.push({ name, attributes, line: parser.line });
  });
  parser.on('attribute', ({ name, value }) => {
    attributesOfTag += 1;
    if (attributesOfTag > XML_LIMITS.attributesPerElement)
      refuse(`an element has more than ${XML_LIMITS.attributesPerElement} attributes`);
    const local = localName(name);
    refuseUnsafeName(local);
    if (local === name) attributes[local] = value;
    // The format does not use namespace declarations and `xml:` attributes.
    else if (!/^xml(?:ns)?:/.test(name)) attributes[local] ??= value;
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    closed = name;
  });
  for (let at = 0; at < text.length; at += PIECE) parser.write(text.slice(at, at + PIECE));
  parser.close();
  return tags;
}

/** Runs before the parsers, because they build texts character by character and keep every node. */
function refuseLongAndMany(text: string): void {
  let nodes = 0;
  const refuse = (at: number, message: string): never => {
    throw new XmlProblem(message, text.slice(0, at).split('\n').length);
  };
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('<', start + 1);
    const end = next < 0 ? text.length : next;
    if (end - start > XML_LIMITS.runLength)
      refuse(start, `a text or a tag is longer than ${XML_LIMITS.runLength} characters`);
    if (text[start + 1] !== '/') nodes += 1;
    if (nodes > XML_LIMITS.nodes)
      refuse(start, `there are more than ${XML_LIMITS.nodes} elements and comments`);
    start = end;
  }
}

/** The name after the prefix. `a:b:c` has no prefix in the sense of namespaces; it is cut at its first colon. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
