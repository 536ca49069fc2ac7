import { formatNumber } from '../../ui/format.ts';
import css from './product.module.css';
import type { DiffLine, TextDiff } from './text-diff.ts';

const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', added: '+', removed: '−' };

/** Changed lines with those around them. A screen reader is told of each what it is. */
export function DiffView({ diff }: { diff: TextDiff }) {
  if (diff.hunks.length === 0) return <p class="muted">Nothing differs here.</p>;
  return (
    <>
      <p>
        {formatNumber(diff.added)} {diff.added === 1 ? 'line' : 'lines'} added, {formatNumber(diff.removed)}{' '}
        removed
      </p>
      <div class={css.diff}>
        {diff.hunks.map((hunk) => (
          <section key={`${hunk.from}/${hunk.to}`} aria-label={`From line ${hunk.to}`}>
            <p class={css.diffPlace}>Line {formatNumber(hunk.to)}</p>
            {hunk.lines.map((line, index) => (
              <Line key={index} line={line} />
            ))}
          </section>
        ))}
      </div>
      {diff.leftOut > 0 && <p class="muted">{formatNumber(diff.leftOut)} more lines are not shown.</p>}
    </>
  );
}

function Line({ line: { kind, text } }: { line: DiffLine }) {
  const content = (
    <>
      <span class={css.sign} aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <code>{text}</code>
    </>
  );
  if (kind === 'added') return <ins class={`${css.diffLine} ${css.added}`}>{content}</ins>;
  if (kind === 'removed') return <del class={`${css.diffLine} ${css.removed}`}>{content}</del>;
  return <div class={css.diffLine}>{content}</div>;
}
