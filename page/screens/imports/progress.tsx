/** How far an import is with its products. */
import { formatNumber } from '../../ui/format.ts';
import { ProgressBar, type Segment } from '../../ui/progress-bar.tsx';
import type { Import } from './paging.ts';

type Counts = Import['progress'];

export function segmentsOf(progress: Counts): Segment[] {
  return [
    { tone: 'good', value: progress.regulator_inserted, label: 'inserted' },
    { tone: 'bad', value: progress.regulator_insert_failed, label: 'failed' },
    { tone: 'busy', value: progress.regulator_inserting, label: 'being inserted' },
  ];
}

export const totalOf = (progress: Counts): number =>
  progress.local + segmentsOf(progress).reduce((sum, { value }) => sum + value, 0);

export function ImportProgress({ of: { progress } }: { of: Pick<Import, 'progress'> }) {
  const total = totalOf(progress);
  return (
    <span class="import-progress">
      <ProgressBar label="Products" segments={segmentsOf(progress)} total={total} />
      <span class="number muted">{formatNumber(total)}</span>
    </span>
  );
}
