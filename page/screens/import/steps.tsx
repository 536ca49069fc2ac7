/** The six steps of an insert: a strip in the table, a list where there is room. */

import { INSERT_STEPS, STEP_LABELS } from '../../../src/contract/steps.ts';
import { Badge } from '../../ui/badge.tsx';
import css from './import.module.css';
import type { Submission } from './rows.ts';

type StepState = 'done' | 'failed' | 'now' | 'open';

const SAID: Record<StepState, string> = {
  done: 'accepted',
  failed: 'failed here',
  now: 'under way',
  open: 'not begun',
};

/** Steps run in order: the first that is not accepted is the one that failed, or that is under way. */
export function stepStates({ state, status }: Pick<Submission, 'state' | 'status'>): StepState[] {
  const next = INSERT_STEPS.findIndex((step) => !state[step]);
  return INSERT_STEPS.map((step, index) => {
    if (state[step]) return 'done';
    if (index !== next) return 'open';
    if (status === 'regulator_insert_failed') return 'failed';
    return status === 'regulator_inserting' ? 'now' : 'open';
  });
}

export function StepStrip({ of }: { of: Submission }) {
  const states = stepStates(of);
  const said = INSERT_STEPS.map(
    (step, index) => `${STEP_LABELS[step]}: ${SAID[states[index] ?? 'open']}`,
  ).join(', ');
  return (
    <span class={css.steps} role="img" aria-label={said} title={said.replaceAll(', ', '\n')}>
      {states.map((state, index) => (
        <span key={INSERT_STEPS[index]} class={css[state]} />
      ))}
    </span>
  );
}

const TONES = { done: 'good', failed: 'bad', now: 'busy', open: 'idle' } as const;

export function StepList({ of }: { of: Submission }) {
  const states = stepStates(of);
  return (
    <ol class={css.stepList}>
      {INSERT_STEPS.map((step, index) => {
        const state = states[index] ?? 'open';
        return (
          <li key={step}>
            {STEP_LABELS[step]} <Badge tone={TONES[state]}>{SAID[state]}</Badge>
          </li>
        );
      })}
    </ol>
  );
}
