/** Says what is not well-formed, and where. The texts of saxes name no subject, and it finds some faults late. */
import { excerpt } from '../../common/text.ts';
import { StructureProblem } from './decode.ts';

/** The position of saxes when it reports the fault, and the text up to there. */
interface ReadSoFar {
  text: string;
  line: number;
  column: number;
  /** Name of the element that it closed last. */
  closed: string;
}

const MAX_CHARACTERS_OF_NAME = 40;
/** The name of a closing tag is searched in so many last characters. */
const MAX_CHARACTERS_OF_TAG = 1_000;

/**
 * Parts in which `&` is no reference, and references as saxes reads them: up to the next semicolon. A part without an end
 * takes the rest, so that the time stays linear.
 */
const REFERENCES = /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<\?[\s\S]*?(?:\?>|$)|&[^;]*/g;

/** @param message of saxes, which begins with `line:column: ` */
export function syntaxProblem(message: string, read: ReadSoFar): StructureProblem {
  const fault = message.replace(/^(?:[^:]*:)?\d+:\d+: /, '').replace(/\.$/, '');
  const reference = faultyReference(fault, read.text);
  if (reference) {
    const before = read.text.slice(0, reference.start).split(/\r\n?|\n/);
    const column = (before.at(-1)?.length ?? 0) + 1;
    return problem(`${reference.text} at column ${column}`, before.length);
  }
  if (read.text.trim() === '') return problem('the file is empty', read.line);
  return problem(`${withNames(fault, read)} at column ${read.column}`, read.line);
}

function problem(text: string, line: number): StructureProblem {
  return new StructureProblem(`not well-formed XML: ${text}`, line);
}

/** saxes finds a `&` without a reference only at the next semicolon, often in another line, or at the end of the file. */
function faultyReference(fault: string, read: string): { text: string; start: number } | null {
  let last: RegExpExecArray | undefined;
  for (const part of read.matchAll(REFERENCES)) if (part[0].startsWith('&')) last = part;
  if (!last) return null;
  const [reference] = last;
  // A file that was cut off in the middle of a reference is unclosed.
  const isOpen = last.index + reference.length === read.length && !/^&[\w#]*$/.test(reference);
  if (!isOpen && !/\bentity\b/.test(fault)) return null;
  return { text: referenceFault(fault, reference), start: last.index };
}

/** The text behind a `&` without a reference may be confidential: only names and numbers of references are shown. */
function referenceFault(fault: string, reference: string): string {
  const shown = excerpt(reference, MAX_CHARACTERS_OF_NAME);
  if (/^&#\w*$/.test(reference)) return `the reference ${shown}; stands for no character of XML`;
  if (fault === 'undefined entity') return `${fault} ${shown};`;
  return 'a & begins no reference; write &amp;';
}

function withNames(fault: string, { text, closed }: ReadSoFar): string {
  if (fault !== 'unexpected close tag') return excerpt(fault, 160);
  const written = /<\/([^<>\s]*)\s*>$/.exec(text.slice(-MAX_CHARACTERS_OF_TAG))?.[1];
  const expected = `expected </${excerpt(closed, MAX_CHARACTERS_OF_NAME)}>`;
  return written === undefined
    ? `${fault}, ${expected}`
    : `${fault} </${excerpt(written, MAX_CHARACTERS_OF_NAME)}>, ${expected}`;
}
