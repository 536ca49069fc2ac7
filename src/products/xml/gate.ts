/**
 * The gate in front of fast-xml-parser, which accepts truncated and mismatched documents silently
 * (design §10): a strict pass that refuses what is not well-formed, and what is made to hurt.
 */
import { SaxesParser } from 'saxes';
import { excerpt } from '../../domain/text.ts';
import { XmlProblem } from './xml-problem.ts';

/** Far beyond any genuine product: the largest published ones have a few thousand elements, nine levels deep. */
export const XML_LIMITS = {
  depth: 64,
  elements: 200_000,
  attributesPerElement: 64,
  attributeLength: 64 * 1024,
} as const;

/** Text is given to the parser in pieces, so that a limit is noticed before the whole file is read. */
const PIECE = 64 * 1024;

/**
 * @throws XmlProblem with line and column where the text is not well-formed XML, has a DOCTYPE (and with
 *   it any entity of its own), or is beyond the limits
 */
export function requireWellFormed(text: string): void {
  const parser = new SaxesParser({ position: true });
  const here = () => ({ line: parser.line, column: parser.column });
  const refuse = (message: string): never => {
    throw new XmlProblem(message, here());
  };
  let depth = 0;
  let elements = 0;
  parser.on('error', (error) => refuse(`not well-formed XML: ${reasonOf(error)}`));
  parser.on('doctype', () => refuse('a DOCTYPE is not accepted'));
  parser.on('opentagstart', () => {
    depth += 1;
    elements += 1;
    if (depth > XML_LIMITS.depth) refuse(`elements are nested more than ${XML_LIMITS.depth} levels deep`);
    if (elements > XML_LIMITS.elements) refuse(`there are more than ${XML_LIMITS.elements} elements`);
  });
  parser.on('opentag', ({ attributes }) => {
    const values = Object.values(attributes);
    if (values.length > XML_LIMITS.attributesPerElement) refuse(`an element has ${values.length} attributes`);
    if (values.some((value) => value.length > XML_LIMITS.attributeLength)) {
      refuse(`an attribute is longer than ${XML_LIMITS.attributeLength} characters`);
    }
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  for (let at = 0; at < text.length; at += PIECE) parser.write(text.slice(at, at + PIECE));
  parser.close();
}

/** saxes puts `line:column: ` in front of its messages; the place is added by us. */
function reasonOf(error: Error): string {
  return excerpt(error.message.replace(/^(?:[^:]*:)?\d+:\d+: /, ''), 160);
}
