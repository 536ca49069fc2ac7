import type { StructuredPatchHunk } from 'diff';
import { formatNumber } from './format.tsx';

/** How many lines begin with a mark. */
export const countLines = (hunks: readonly StructuredPatchHunk[], mark: '+' | '-'): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0);

/** Changed lines of a unified diff with their neighbours. Marks and elements tell what is added, beside the colour. */
export function DiffView({ hunks, label }: { hunks: readonly StructuredPatchHunk[]; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="diff" aria-label={label} tabIndex={0}>
      {hunks.map((hunk) => (
        <div key={`${hunk.oldStart} ${hunk.newStart}`}>
          <p class="diff-place">Line {formatNumber(hunk.newStart)}</p>
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
  if (mark === '+') return <ins class="diff-line">{content}</ins>;
  if (mark === '-') return <del class="diff-line">{content}</del>;
  return <div class="diff-line">{content}</div>;
}
