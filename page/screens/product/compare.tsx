/** Two submissions of a product side by side: choose which, and what of them. */
import { useEffect, useState } from 'preact/hooks';
import { INSERT_STEPS, type InsertStep, STEP_LABELS } from '../../../src/contract/steps.ts';
import type { ProductSubmission as Submission } from '../../../src/contract/types.ts';
import { ApiError, asApiError } from '../../api/api-error.ts';
import { Field } from '../../ui/field.tsx';
import { formatTime } from '../../ui/format.ts';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { type Comparison, compareFiles } from './compare-files.ts';
import { DiffView } from './diff-view.tsx';
import css from './product.module.css';
import type { TextDiff } from './text-diff.ts';

interface CompareProps {
  /** Newest first; two at least. */
  submissions: readonly Submission[];
  value: Comparison;
  onChange(value: Comparison): void;
}

export function Compare({ submissions, value, onChange }: CompareProps) {
  const options = submissions.map(({ id, created_at }) => (
    <option key={id} value={id}>
      {id} · {formatTime(new Date(created_at))}
    </option>
  ));
  const chosen = (event: { currentTarget: HTMLSelectElement }) => event.currentTarget.value;
  return (
    <section class={`card ${css.compare}`} aria-labelledby="compare-heading" id="compare">
      <h2 id="compare-heading" tabIndex={-1}>
        What changed
      </h2>
      <div class="toolbar">
        <Field label="Older submission">
          <select
            value={value.older}
            onChange={(event) => onChange({ ...value, older: Number(chosen(event)) })}
          >
            {options}
          </select>
        </Field>
        <Field label="Newer submission">
          <select
            value={value.newer}
            onChange={(event) => onChange({ ...value, newer: Number(chosen(event)) })}
          >
            {options}
          </select>
        </Field>
        <Field label="Part">
          <select
            value={value.section ?? ''}
            onChange={(event) =>
              onChange({ ...value, section: (chosen(event) || null) as InsertStep | null })
            }
          >
            <option value="">Whole file</option>
            {INSERT_STEPS.map((section) => (
              <option key={section} value={section}>
                {STEP_LABELS[section]}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <div class={css.compareResult} aria-live="polite">
        <Result of={value} />
      </div>
    </section>
  );
}

type State = { diff: TextDiff | null } | { error: ApiError } | { fault: string } | null;

function Result({ of }: { of: Comparison }) {
  const [state, setState] = useState<State>(null);
  const [times, setTimes] = useState(0);
  const { older, newer, section } = of;
  useEffect(() => {
    const call = new AbortController();
    setState(null);
    compareFiles({ older, newer, section }, call.signal)
      .then((diff) => setState({ diff }))
      .catch((error: unknown) => {
        if (!call.signal.aborted) setState(failed(error));
      });
    return () => call.abort();
  }, [older, newer, section, times]);

  if (state === null) return <Loading />;
  if ('error' in state) return <ErrorState error={state.error} onRetry={() => setTimes(times + 1)} />;
  if ('fault' in state) return <p role="alert">{state.fault}</p>;
  if (state.diff === null)
    return (
      <p>The two files have too little in common to be compared line by line. Compare one part of them.</p>
    );
  return <DiffView diff={state.diff} />;
}

/** Of the network or the service, or of the file itself. */
function failed(error: unknown): State {
  if (error instanceof ApiError || error instanceof TypeError) return { error: asApiError(error) };
  return { fault: (error as Error).message };
}
