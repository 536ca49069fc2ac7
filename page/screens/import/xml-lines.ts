/** Lines of a product file: which one an element is on, and what stands around it. Pure. */

const DECLARED = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/;
const TAG =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([\w.:-]+)(?:[^>"']|"[^"]*"|'[^']*')*?(\/?)>/g;
/** Of a line that is longer, as where a whole file is one line. */
const LONGEST_LINE = 400;

/** Text of the bytes, in the encoding that they declare. */
export function decodeXml(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const utf8 = new TextDecoder().decode(bytes);
  const declared = DECLARED.exec(utf8.slice(0, 200))?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(declared).decode(bytes);
  } catch {
    return utf8;
  }
}

interface Open {
  children: Map<string, number>;
  /** Elements of the wanted path that this one and those around it are. */
  matched: number;
}

/**
 * The line, from 1, of the element at a path, or of the innermost one around it that is there; null where not even the
 * first is.
 *
 * @param path from below the root, items numbered among their like: `Product/Presentations/Presentation[2]`
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
    // Only below parts that all match; the root counts for none.
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

export interface ExcerptLine {
  number: number;
  text: string;
  isMeant: boolean;
}

/** The line and some around it, without the indentation that all of them have. */
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
