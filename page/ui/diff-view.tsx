/** Changes between texts: those of two files, computed in a worker, and those that the API sends. */
import type { StructuredPatchHunk } from 'diff';
import { countOf, formatNumber } from './format.tsx';
import type { TextDiff } from './text-diff.ts';

/** How many lines begin with a mark. */
export const countLines = (hunks: readonly StructuredPatchHunk[], mark: '+' | '-'): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0);

/**
 * Changed lines of a unified diff with their neighbours. Marks and elements, not only colours, show additions and
 * removals.
 */
export function DiffView({ hunks, label }: { hunks: readonly StructuredPatchHunk[]; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="box diff" aria-label={label} tabIndex={0}>
      {hunks.map((hunk) => (
        <div key={`${hunk.oldStart} ${hunk.newStart}`}>
          <p class="diff-place muted small">Line {formatNumber(hunk.newStart)}</p>
          {hunk.lines.map((line, index) => (
            <DiffLine key={index} line={line} />
          ))}
        </div>
      ))}
    </section>
  );
}

function DiffLine({ line }: { line: string }) {
  const mark = line.charAt(0);
  const content = (
    <>
      <span aria-hidden="true">{mark === '-' ? '−' : mark}</span>
      <code>{line.slice(1)}</code>
    </>
  );
  if (mark === '+') return <ins class="diff-line good">{content}</ins>;
  if (mark === '-') return <del class="diff-line bad">{content}</del>;
  return <div class="diff-line">{content}</div>;
}

export function Diff({ diff: { hunks, added, removed, leftOut } }: { diff: TextDiff }) {
  if (hunks.length === 0) return <p class="muted">No differences.</p>;
  return (
    <>
      <p>
        {countOf(added, 'line')} added, {formatNumber(removed)} removed
      </p>
      <DiffView hunks={hunks} label="Changed lines" />
      {leftOut > 0 && <p class="muted">{countOf(leftOut, 'more line')} not shown.</p>}
    </>
  );
}

/** @returns null where the texts are too different @throws AbortError; Error when the comparison fails */
export function diffInWorker(texts: string[], signal: AbortSignal): Promise<TextDiff | null> {
  const worker = new Worker(new URL('./text-diff.ts', import.meta.url), { type: 'module' });
  return new Promise<TextDiff | null>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<TextDiff | null>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message || 'The comparison failed.'));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.postMessage(texts);
  }).finally(() => worker.terminate());
}
