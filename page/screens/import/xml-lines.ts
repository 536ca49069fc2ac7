/** Lines of a product file: the line of an element, and its neighbours. Pure. */

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
