import type { ImportSummary } from '../../src/contract/types.ts';
import { formatNumber } from './format.ts';

export interface Segment {
  tone: 'good' | 'bad' | 'warn' | 'busy';
  value: number;
  /** Follows the number: `3 failed`. */
  label: string;
}

/** Progress by outcome. The rest of the bar is not done yet. */
export function ProgressBar({
  segments,
  total,
  label,
}: {
  segments: readonly Segment[];
  total: number;
  label: string;
}) {
  const counted = segments.filter(({ value }) => value > 0);
  const said = counted.map((one) => `${formatNumber(one.value)} ${one.label}`).join(', ');
  const text = `${label}: ${said || 'nothing yet'}, of ${formatNumber(total)}`;
  return (
    <div class="progress" role="img" aria-label={text} title={text}>
      {stacked(segments).map(({ tone, label: name, end }) => (
        <span
          key={name}
          class={`bar-${tone}`}
          style={{ width: `${total === 0 ? 0 : (100 * end) / total}%` }}
        />
      ))}
    </div>
  );
}

/**
 * Each segment spans from the start of the bar to its own end, the last one at the back: a growing segment
 * moves no other.
 */
function stacked(segments: readonly Segment[]): (Segment & { end: number })[] {
  let end = 0;
  return segments
    .map((segment) => {
      end += segment.value;
      return { ...segment, end };
    })
    .reverse();
}

type Counts = ImportSummary['progress'];

export function segmentsOf(progress: Counts): Segment[] {
  return [
    { tone: 'good', value: progress.regulator_inserted, label: 'inserted' },
    { tone: 'bad', value: progress.regulator_insert_failed, label: 'failed' },
    { tone: 'busy', value: progress.regulator_inserting, label: 'inserting' },
  ];
}

export const totalOf = (progress: Counts): number =>
  progress.local + segmentsOf(progress).reduce((sum, { value }) => sum + value, 0);

/** The products of an import, with their number. */
export function ImportProgress({ of: { progress } }: { of: Pick<ImportSummary, 'progress'> }) {
  const total = totalOf(progress);
  return (
    <span class="import-progress">
      <ProgressBar label="Products" segments={segmentsOf(progress)} total={total} />
      <span class="number muted">{formatNumber(total)}</span>
    </span>
  );
}
