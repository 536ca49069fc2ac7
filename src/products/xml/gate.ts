/**
 * The gate in front of fast-xml-parser, which accepts truncated and mismatched documents silently
 * (decision §an-xml-gate): a strict pass that refuses what is not well-formed and what is made to hurt, and that
 * reads the start tags exactly as XML wants them read.
 */
import { SaxesParser } from '@rubensworks/saxes';
import { excerpt } from '../../domain/text.ts';
import { XmlProblem } from './xml-problem.ts';

/**
 * Far beyond any genuine product: the largest published ones have a few thousand elements, nine levels deep,
 * and the schema ends texts at 1,000 characters. What passes is read in some 50 MB and within a second or two.
 */
export const XML_LIMITS = {
  depth: 64,
  /** Elements, comments, CDATA sections and processing instructions together: every `<` that ends no element. */
  nodes: 50_000,
  attributesPerElement: 64,
  /** Characters from one `<` to the next: of a text or a tag. fast-xml-parser needs 32 bytes for each of a text. */
  runLength: 64 * 1024,
} as const;

export interface StartTag {
  /** As it is written, with its prefix. */
  readonly name: string;
  /** By local name; one without a prefix goes before one with a prefix. Normalized as XML wants it (§3.3.3). */
  readonly attributes: Readonly<Record<string, string>>;
  /** From 1. */
  readonly line: number;
}

/** Text is given to the parser in pieces, so that a limit is noticed before the whole file is read. */
const PIECE = 64 * 1024;

/** Names that mean something to JavaScript objects; fast-xml-parser does not take them either. */
const UNSAFE_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The start tags of a document, in its order.
 *
 * @throws XmlProblem with line and column where the text is not well-formed XML, has a DOCTYPE (and with
 *   it any entity of its own), or is beyond the limits
 */
export function readStartTags(text: string): StartTag[] {
  refuseLongAndMany(text);
  // An XML declaration with another version changes nothing: its extra characters are in no product.
  const parser = new SaxesParser({ position: true, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const refuse = (message: string): never => {
    throw new XmlProblem(message, { line: parser.line, column: parser.column });
  };
  const refuseUnsafeName = (name: string) => {
    if (UNSAFE_NAMES.has(name)) refuse(`nothing can be named "${name}"`);
  };
  const tags: StartTag[] = [];
  let attributes: Record<string, string> = {};
  let attributesOfTag = 0;
  let depth = 0;
  // Five listeners: with eight of them, V8 takes the parser for a dictionary, and every character costs five times as much.
  parser.on('error', (error) => refuse(`not well-formed XML: ${reasonOf(error)}`));
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
    // Namespace declarations and `xml:` attributes are no part of the format.
    else if (!/^xml(?:ns)?:/.test(name)) attributes[local] ??= value;
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  for (let at = 0; at < text.length; at += PIECE) parser.write(text.slice(at, at + PIECE));
  parser.close();
  return tags;
}

/** Before anything is parsed: the parsers put texts together character by character, and keep every node. */
function refuseLongAndMany(text: string): void {
  let nodes = 0;
  const refuse = (at: number, message: string): never => {
    throw new XmlProblem(message, { line: text.slice(0, at).split('\n').length });
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

/** What is behind the prefix. `a:b:c` has none in the sense of namespaces; it is cut behind its first colon. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** saxes puts `line:column: ` in front of its messages; the place is added by us. */
function reasonOf(error: Error): string {
  return excerpt(error.message.replace(/^(?:[^:]*:)?\d+:\d+: /, ''), 160);
}
