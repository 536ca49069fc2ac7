/** Two submissions of a product, compared as a whole or by section. */
import { INSERT_STEPS, type InsertStep, STEP_LABELS } from '../../../src/contract/steps.ts';
import type { ProductSubmission as Submission } from '../../../src/contract/types.ts';
import { useLoaded } from '../../api/use-data.ts';
import { Diff, diffInWorker } from '../../ui/diff-view.tsx';
import { Choice } from '../../ui/field.tsx';
import { formatTime } from '../../ui/format.tsx';
import { loadXml, readableXml } from '../../ui/product-file.ts';
import { LoadedContent } from '../../ui/states.tsx';
import type { TextDiff } from '../../ui/text-diff.ts';

export interface Comparison {
  older: number;
  newer: number;
  /** Null for the whole file. */
  section: InsertStep | null;
}

interface CompareProps {
  /** Newest first, at least two. */
  submissions: readonly Submission[];
  value: Comparison;
  onChange(value: Comparison): void;
}

export function Compare({ submissions, value, onChange }: CompareProps) {
  const options = submissions.map(
    ({ id, created_at }) => [id, `${id} · ${formatTime(new Date(created_at))}`] as const,
  );
  const sections = INSERT_STEPS.map((section) => [section, STEP_LABELS[section]] as const);
  return (
    <section class="card stack" aria-labelledby="compare-heading">
      <h2 id="compare-heading" tabIndex={-1}>
        Changes
      </h2>
      <div class="toolbar">
        {(['older', 'newer'] as const).map((which) => (
          <Choice
            key={which}
            label={which === 'older' ? 'Older submission' : 'Newer submission'}
            value={value[which]}
            options={options}
            onChoose={(id) => onChange({ ...value, [which]: Number(id) })}
          />
        ))}
        <Choice
          label="Section"
          value={value.section}
          options={[[null, 'Whole file'], ...sections]}
          onChoose={(section) => onChange({ ...value, section: (section || null) as InsertStep | null })}
        />
      </div>
      <div class="stack roomy" aria-live="polite">
        <Result of={value} />
      </div>
    </section>
  );
}

function Result({ of }: { of: Comparison }) {
  const compared = useLoaded((signal) => compareFiles(of, signal), [of.older, of.newer, of.section]);
  return (
    <LoadedContent of={compared}>
      {(diff) => (typeof diff === 'string' ? <p role="alert">{diff}</p> : <Diff diff={diff} />)}
    </LoadedContent>
  );
}

/** @returns the differences, or why there are none to show @throws ApiError */
async function compareFiles(
  { older, newer, section }: Comparison,
  signal: AbortSignal,
): Promise<TextDiff | string> {
  const files = await Promise.all([older, newer].map((id) => loadXml('getSubmissionXml', { id }, signal)));
  try {
    const texts = files.map((xml) => readableXml(xml, section));
    return (await diffInWorker(texts, signal)) ?? 'The two files are too different. Compare one section.';
  } catch (error) {
    return (error as Error).message;
  }
}
