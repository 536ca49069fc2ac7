/** What changes in a product, drawn from the unified diff of the API: a part for each section, a line for each field. */
import { parsePatch, type StructuredPatch } from 'diff';
import { useMemo } from 'preact/hooks';
import { stepLabel } from '../../ui/steps.ts';

const KINDS: Readonly<Record<string, { name: string; said: string }>> = {
  '-': { name: 'old', said: 'was' },
  '+': { name: 'new', said: 'becomes' },
};

export function DiffView({ patch }: { patch: string }) {
  const sections = useMemo(() => parsePatch(patch), [patch]);
  return (
    <div class="diff">
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
    <details class="diff-section" open>
      <summary>
        {stepLabel(newFileName.slice(newFileName.lastIndexOf('/') + 1))}{' '}
        <span class="diff-counts number">
          <span class="diff-new">+{count('+')}</span> <span class="diff-old">−{count('-')}</span>
        </span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class="diff-lines" aria-label="Fields" tabIndex={0}>
        {hunks.map((hunk, index) => (
          <div key={`${hunk.oldStart} ${hunk.newStart}`}>
            {index > 0 && (
              <p class="diff-gap" aria-hidden="true">
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
    <p class={`diff-line diff-${name}`}>
      <span class="diff-mark" aria-hidden="true">
        {mark === '-' ? '−' : mark}
      </span>
      <span class="hidden-text">{said}</span>
      <span class="diff-text">
        {colon < 0 ? (
          rest
        ) : (
          <>
            <span class="diff-field">{rest.slice(0, colon)}</span> {rest.slice(colon + 2)}
          </>
        )}
      </span>
    </p>
  );
}
