/** The six steps of an insert, which send the sections of a product: a strip, and a list where there is room. */
import { INSERT_STEPS, type InsertStep, STEP_LABELS } from '../../src/contract/steps.ts';
import type { Submission } from '../../src/contract/types.ts';
import { Badge } from './badge.tsx';

/** A step of a newer service has no label here: it keeps its name. */
export const stepLabel = (step: string): string => STEP_LABELS[step as InsertStep] ?? step;

type Progress = Pick<Submission, 'state' | 'status'>;
type StepState = 'done' | 'failed' | 'running' | 'open';

const STATES = {
  done: { label: 'done', tone: 'good' },
  failed: { label: 'failed', tone: 'bad' },
  running: { label: 'running', tone: 'busy' },
  open: { label: 'not started', tone: 'idle' },
} as const satisfies Record<StepState, object>;

/** Steps run in order: the first that is not done has failed, or is running. */
export function stepStates({ state, status }: Progress): StepState[] {
  const next = INSERT_STEPS.findIndex((step) => !state[step]);
  return INSERT_STEPS.map((step, index) => {
    if (state[step]) return 'done';
    if (index !== next) return 'open';
    if (status === 'regulator_insert_failed') return 'failed';
    return status === 'regulator_inserting' ? 'running' : 'open';
  });
}

export function StepStrip({ of }: { of: Progress }) {
  const states = stepStates(of);
  const lines = INSERT_STEPS.map(
    (step, index) => `${stepLabel(step)}: ${STATES[states[index] ?? 'open'].label}`,
  );
  return (
    <span class="steps" role="img" aria-label={lines.join(', ')} title={lines.join('\n')}>
      {states.map((state, index) => (
        <span key={INSERT_STEPS[index]} class={STATES[state].tone} />
      ))}
    </span>
  );
}

export function StepList({ of }: { of: Progress }) {
  const states = stepStates(of);
  return (
    <ol class="cluster">
      {INSERT_STEPS.map((step, index) => {
        const { label, tone } = STATES[states[index] ?? 'open'];
        return (
          <li key={step}>
            {stepLabel(step)} <Badge tone={tone}>{label}</Badge>
          </li>
        );
      })}
    </ol>
  );
}
