/** What changes in a product, drawn from the unified diff of the API: a part for each section, a line for each field. */
import { parsePatch, type StructuredPatch } from 'diff';
import { useMemo } from 'preact/hooks';
import { stepLabel } from '../../ui/steps.ts';
import css from './upload.module.css';

const KINDS: Readonly<Record<string, { name: string; said: string }>> = {
  '-': { name: 'diffOld', said: 'was' },
  '+': { name: 'diffNew', said: 'becomes' },
};

export function DiffView({ patch }: { patch: string }) {
  const sections = useMemo(() => parsePatch(patch), [patch]);
  return (
    <div class={css.diff}>
      {sections.map((section) => (
        <Section key={section.newFileName} section={section} />
      ))}
    </div>
  );
}

function Section({ section: { newFileName = '', hunks } }: { section: StructuredPatch }) {
  const lines = hunks.flatMap(({ lines }) => lines);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return (
    <details class={css.diffSection} open>
      <summary>
        {stepLabel(newFileName.slice(newFileName.lastIndexOf('/') + 1))}{' '}
        <span class={`${css.diffCounts} number`}>
          <span class={css.diffNew}>+{count('+')}</span> <span class={css.diffOld}>−{count('-')}</span>
        </span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class={css.diffLines} aria-label="Fields" tabIndex={0}>
        {hunks.map((hunk, index) => (
          <div key={`${hunk.oldStart} ${hunk.newStart}`}>
            {index > 0 && (
              <p class={css.diffGap} aria-hidden="true">
                ⋯
              </p>
            )}
            {hunk.lines.map((line, number) => (
              <Line key={number} line={line} />
            ))}
          </div>
        ))}
      </section>
    </details>
  );
}

/** As in `-Design/Description/value: "A bottle"`. */
function Line({ line }: { line: string }) {
  const mark = line.charAt(0);
  // "No newline at end of file" is about the text, not about the product.
  if (mark === '\\') return null;
  const { name, said } = KINDS[mark] ?? { name: 'same', said: '' };
  const rest = line.slice(1);
  const colon = rest.indexOf(': ');
  return (
    <p class={`${css.diffLine} ${css[name] ?? ''}`}>
      <span class={css.diffMark} aria-hidden="true">
        {mark === '-' ? '−' : mark}
      </span>
      <span class="hidden-text">{said}</span>
      <span class={css.diffText}>
        {colon < 0 ? (
          rest
        ) : (
          <>
            <span class={css.diffField}>{rest.slice(0, colon)}</span> {rest.slice(colon + 2)}
          </>
        )}
      </span>
    </p>
  );
}
