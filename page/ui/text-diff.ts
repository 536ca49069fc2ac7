/** The changes between two texts, line by line. Runs in a worker, because a product file has up to 4 MiB. */
import { type StructuredPatchHunk, structuredPatch } from 'diff';

export interface TextDiff {
  /** With three unchanged lines around each change. */
  hunks: StructuredPatchHunk[];
  added: number;
  removed: number;
  /** Lines beyond the listed ones. */
  leftOut: number;
}

/** The limit that a browser draws at once. */
export const SHOWN_LINES = 2_000;
/** The limit for two files without common lines. */
const LONGEST_MS = 8_000;

/** @returns null where the texts are too different to be compared line by line */
export function textDiff(older: string, newer: string, longestMs = LONGEST_MS): TextDiff | null {
  const patch = structuredPatch('', '', older, newer, '', '', { context: 3, timeout: longestMs });
  if (patch === undefined) return null;
  const diff: TextDiff = { hunks: [], added: 0, removed: 0, leftOut: 0 };
  let room = SHOWN_LINES;
  for (const hunk of patch.hunks) {
    // The note about a missing newline at the end is not part of the text.
    const lines = hunk.lines.filter((line) => !line.startsWith('\\'));
    diff.added += lines.filter((line) => line.startsWith('+')).length;
    diff.removed += lines.filter((line) => line.startsWith('-')).length;
    const shown = lines.slice(0, room);
    room -= shown.length;
    diff.leftOut += lines.length - shown.length;
    if (shown.length > 0) diff.hunks.push({ ...hunk, lines: shown });
  }
  return diff;
}

self.onmessage = ({ data: [older, newer] }: MessageEvent<[string, string]>) => {
  self.postMessage(textDiff(older, newer));
};
