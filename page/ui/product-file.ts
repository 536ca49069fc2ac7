/** Product files of submissions: their text, the lines around an element, and their sections in a readable notation. */
import type { InsertStep } from '../../src/contract/steps.ts';
import type { Reason } from '../../src/contract/types.ts';
import { send } from '../api/client.ts';

const DECLARATION_BYTES = 200;

/** The product file of a submission, or one that failed. @throws ApiError, with status 410 after its retention */
export async function loadXml(
  operation: 'getSubmissionXml' | 'getFailedFile',
  params: Record<string, string | number>,
  signal: AbortSignal,
): Promise<string> {
  const response = await send(operation, { params, signal });
  return decodeXml(new Uint8Array(await response.arrayBuffer()));
}

/** The text as a file in UTF-8. */
export function encodeXml(text: string, fileName: string): File {
  return new File([declaredAsUtf8(text)], fileName, { type: 'application/xml' });
}

/** The text with UTF-8 as its declared encoding, if it declares one. */
export function declaredAsUtf8(text: string): string {
  return text.replace(/^(\s*<\?xml[^>]*\bencoding\s*=\s*["'])[\w.:-]+/, '$1UTF-8');
}

/** Stands for bytes that are not valid in the encoding of a file. */
export const UNREADABLE = '\uFFFD';

/**
 * `TextDecoder` reads US-ASCII and ISO-8859-1 as Windows-1252, and ISO-8859-9 as Windows-1254. They have other characters
 * from 0x80 to 0x9f, and US-ASCII has none from 0x80.
 */
const CODE_PAGE = /125[24]$/;

/**
 * Decodes by the byte order mark, else by the declaration, else as UTF-8: a file that the service can read, as the
 * service reads it. Other bytes become `UNREADABLE`.
 */
export function decodeXml(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder().decode(bytes);
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_BYTES));
  const [, declared = 'utf-8'] = /^\W*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(head) ?? [];
  const decoder = decoderFor(declared);
  const text = decoder.decode(bytes);
  if (!CODE_PAGE.test(decoder.encoding) || CODE_PAGE.test(declared)) return text;
  const isAscii = /ascii|^ansi_x3/i.test(declared);
  return text.replace(/[^\0-\x7f]/g, (letter, at: number) => {
    if (isAscii) return UNREADABLE;
    const byte = bytes[at] ?? 0;
    return byte < 0xa0 ? String.fromCharCode(byte) : letter;
  });
}

function decoderFor(label: string): TextDecoder {
  try {
    const decoder = new TextDecoder(label);
    // A declaration that was found byte by byte is not in UTF-16.
    if (!decoder.encoding.startsWith('utf-16')) return decoder;
  } catch {
    // There is no such encoding.
  }
  return new TextDecoder();
}

const TAG =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([\w.:-]+)(?:[^>"']|"[^"]*"|'[^']*')*?(\/?)>/g;
/** Characters; a whole file may be one line. */
const LONGEST_LINE = 400;

interface Open {
  children: Map<string, number>;
  /** Elements of the path that match down to this one. */
  matched: number;
}

/**
 * Returns the line, from 1, of the element at a path, or of the innermost existing element around it. Returns
 * null when the first element of the path is missing.
 * @param path from below the root, items numbered among those of the same name:
 * `Product/Presentations/Presentation[2]`
 */
export function lineOfPath(xml: string, path: string): number | null {
  const wanted = path.split('/').map((part) => {
    const [, name = part, number = '1'] = /^(.+?)(?:\[(\d+)\])?$/.exec(part) ?? [];
    return { name, number: Number(number) };
  });
  const open: Open[] = [];
  let best = { matched: 0, at: -1 };
  for (const tag of xml.matchAll(TAG)) {
    const [, closing, qualified, selfClosing] = tag;
    if (qualified === undefined) continue;
    if (closing === '/') {
      open.pop();
      continue;
    }
    const name = qualified.slice(qualified.indexOf(':') + 1);
    const parent = open.at(-1);
    const number = (parent?.children.get(name) ?? 0) + 1;
    parent?.children.set(name, number);
    // Only below elements that match; the root is not part of the path.
    const isOnPath = parent !== undefined && parent.matched === open.length - 1;
    const target = isOnPath ? wanted[open.length - 1] : undefined;
    const matches = target?.name === name && target.number === number;
    const matched = parent === undefined ? 0 : matches ? open.length : -1;
    if (matched > best.matched) best = { matched, at: tag.index };
    if (best.matched === wanted.length) break;
    if (selfClosing !== '/') open.push({ children: new Map(), matched });
  }
  return best.at < 0 ? null : xml.slice(0, best.at).split('\n').length;
}

/** The line that a reason names, else the line of its element. */
export const lineOf = (xml: string, { line, path }: Reason): number | null =>
  line ?? (path === null ? null : lineOfPath(xml, path));

export interface ExcerptLine {
  number: number;
  text: string;
  isMeant: boolean;
}

/** The line and its neighbours, without their common indentation. */
export function excerptOf(xml: string, line: number, around = 2): ExcerptLine[] {
  const lines = xml.split('\n');
  const first = Math.max(1, line - around);
  const texts = lines
    .slice(first - 1, line + around)
    .map((text) => text.replace(/\r$/, '').replaceAll('\t', '  '));
  const filled = texts.filter((text) => text.trim() !== '');
  const indent = Math.min(...filled.map((text) => text.length - text.trimStart().length));
  return texts.map((text, index) => ({
    number: first + index,
    text: shortened(text.slice(Number.isFinite(indent) ? indent : 0)),
    isMeant: first + index === line,
  }));
}

const shortened = (text: string): string =>
  text.length <= LONGEST_LINE ? text : `${text.slice(0, LONGEST_LINE).toWellFormed()} …`;

/** Elements inside `Product` outside the section of details. */
const OF_PRODUCT: Readonly<Record<string, InsertStep>> = {
  ProductID: 'init_validate',
  PreviousProductID: 'init_validate',
  Presentations: 'product_presentation',
  Design: 'design',
  Ingredients: 'ingredients',
  Emissions: 'emission',
};

/**
 * A product file, or one section of it, with one element per line and sorted attributes: white space and the order of
 * attributes are no changes.
 *
 * @throws Error when it is no XML
 */
export function readableXml(xml: string, section: InsertStep | null): string {
  const root = new DOMParser().parseFromString(xml, 'application/xml').documentElement;
  if (root === null || root.localName === 'parsererror' || root.querySelector('parsererror') !== null)
    throw new Error('One of the product files is not valid XML.');
  const lines: string[] = [];
  if (section === null) write(root, 0, lines);
  else for (const element of elementsOf(root, section)) write(element, 0, lines);
  return lines.join('');
}

function elementsOf(root: Element, section: InsertStep): Element[] {
  return [...root.children].flatMap((child) => {
    if (child.localName !== 'Product') return section === 'init_validate' ? [child] : [];
    return [...child.children].filter(
      (inner) => (OF_PRODUCT[inner.localName] ?? 'product_details') === section,
    );
  });
}

function write(element: Element, depth: number, lines: string[]): void {
  const indent = '  '.repeat(depth);
  const attributes = [...element.attributes]
    .map(({ name, value }) => ` ${name}="${value}"`)
    .sort()
    .join('');
  const open = `${indent}<${element.localName}${attributes}`;
  const children = [...element.children];
  const text = (element.textContent ?? '').trim();
  if (children.length === 0) {
    lines.push(text === '' ? `${open}/>\n` : `${open}>${text}</${element.localName}>\n`);
    return;
  }
  lines.push(`${open}>\n`);
  for (const child of children) write(child, depth + 1, lines);
  lines.push(`${indent}</${element.localName}>\n`);
}
