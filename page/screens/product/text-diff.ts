/** What changed between two texts, line by line. */
import { structuredPatch } from 'diff';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Lines that belong together, with three unchanged ones around them. */
export interface Hunk {
  /** Of its first line in the older and the newer text, from 1. */
  from: number;
  to: number;
  lines: DiffLine[];
}

export interface TextDiff {
  hunks: Hunk[];
  added: number;
  removed: number;
  /** Lines beyond those that are listed. */
  leftOut: number;
}

/** More than anybody reads, and what a browser draws at once. */
export const SHOWN_LINES = 2_000;
/** Two files that have nothing in common are compared no longer than this. */
const LONGEST_MS = 8_000;

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', ' ': 'same' };

/** @returns null where they are too different to be compared line by line */
export function textDiff(older: string, newer: string, longestMs = LONGEST_MS): TextDiff | null {
  const patch = structuredPatch('', '', older, newer, '', '', { context: 3, timeout: longestMs });
  if (patch === undefined) return null;
  const diff: TextDiff = { hunks: [], added: 0, removed: 0, leftOut: 0 };
  let room = SHOWN_LINES;
  for (const { oldStart, newStart, lines } of patch.hunks) {
    // "\ No newline at end of file" says nothing about a product.
    const all = lines.flatMap((line) => {
      const kind = KINDS[line[0] ?? ''];
      return kind === undefined ? [] : [{ kind, text: line.slice(1) }];
    });
    diff.added += all.filter(({ kind }) => kind === 'added').length;
    diff.removed += all.filter(({ kind }) => kind === 'removed').length;
    const shown = all.slice(0, room);
    room -= shown.length;
    diff.leftOut += all.length - shown.length;
    if (shown.length > 0) diff.hunks.push({ from: oldStart, to: newStart, lines: shown });
  }
  return diff;
}
