/** The progress of an insert by its six steps, as a strip or a list, and of an import by its products, as a bar. */
import { INSERT_STEPS, type InsertStep, STEP_LABELS } from '../../src/contract/steps.ts';
import type { ImportSummary, Submission } from '../../src/contract/types.ts';
import { Badge, statusOf } from './badge.tsx';
import { formatNumber } from './format.tsx';

/** A step of a newer service has no label here: it keeps its name. */
export const stepLabel = (step: string): string => STEP_LABELS[step as InsertStep] ?? step;

type Progress = Pick<Submission, 'state' | 'status'>;

const STATES = {
  done: { label: 'done', tone: 'good' },
  failed: { label: 'failed', tone: 'bad' },
  running: { label: 'running', tone: 'busy' },
  open: { label: 'not started', tone: 'idle' },
} as const;

/** Steps run in order: the first that is not done has failed, or is running. */
export function stepsOf({ state, status }: Progress) {
  const next = INSERT_STEPS.find((step) => !state[step]);
  const stateOf = (step: InsertStep): keyof typeof STATES => {
    if (state[step]) return 'done';
    if (step !== next) return 'open';
    if (status === 'regulator_insert_failed') return 'failed';
    return status === 'regulator_inserting' ? 'running' : 'open';
  };
  return INSERT_STEPS.map((step) => ({ step, ...STATES[stateOf(step)] }));
}

export function StepStrip({ of }: { of: Progress }) {
  const steps = stepsOf(of);
  const lines = steps.map(({ step, label }) => `${stepLabel(step)}: ${label}`);
  return (
    <span class="steps" role="img" aria-label={lines.join(', ')} title={lines.join('\n')}>
      {steps.map(({ step, tone }) => (
        <span key={step} class={tone} />
      ))}
    </span>
  );
}

export function StepList({ of }: { of: Progress }) {
  return (
    <ol class="cluster">
      {stepsOf(of).map(({ step, label, tone }) => (
        <li key={step}>
          {stepLabel(step)} <Badge tone={tone} label={label} />
        </li>
      ))}
    </ol>
  );
}

type Counts = ImportSummary['progress'];

/** In the order of the bar. */
const COUNTED = ['regulator_inserted', 'regulator_insert_failed', 'regulator_inserting', 'local'] as const;

/** Products by status. */
export const countsIn = (progress: Counts) =>
  COUNTED.map((status) => {
    const { label, tone } = statusOf(status);
    return { tone, label: label.toLowerCase(), count: progress[status] };
  });

export const totalOf = (progress: Counts): number =>
  countsIn(progress).reduce((sum, { count }) => sum + count, 0);

/** The products of an import by outcome. */
export function ProgressBar({ progress }: { progress: Counts }) {
  const counted = countsIn(progress).filter(({ count }) => count > 0);
  const said = counted.map(({ count, label }) => `${formatNumber(count)} ${label}`).join(', ');
  const text = `Products: ${said || 'none yet'}`;
  return (
    <div
      class="progress"
      role="img"
      aria-label={text}
      title={text}
      style={{ backgroundImage: gradientOf(counted) }}
    />
  );
}

/** One gradient, not an element for each part: elements that move are layout shifts. */
function gradientOf(counted: ReturnType<typeof countsIn>): string {
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  let end = 0;
  const parts = counted.map(({ tone, count }) => {
    const start = end;
    end += (100 * count) / total;
    return `var(--${tone}-bar) ${start}% ${end}%`;
  });
  return parts.length === 0 ? 'none' : `linear-gradient(to right, ${parts.join(', ')})`;
}

/** The bar with the number of products. */
export function ImportProgress({ of: { progress } }: { of: Pick<ImportSummary, 'progress'> }) {
  return (
    <span class="import-progress">
      <ProgressBar progress={progress} />
      <span class="number muted">{formatNumber(totalOf(progress))}</span>
    </span>
  );
}
