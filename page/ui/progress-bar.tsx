import type { ImportSummary } from '../../src/contract/types.ts';
import { formatNumber } from './format.ts';

type Counts = ImportSummary['progress'];

/** Products by outcome; `not sent` has no part of the bar. */
export const countsIn = (progress: Counts) =>
  [
    { tone: 'good', count: progress.regulator_inserted, label: 'inserted' },
    { tone: 'bad', count: progress.regulator_insert_failed, label: 'failed' },
    { tone: 'busy', count: progress.regulator_inserting, label: 'inserting' },
    { tone: 'idle', count: progress.local, label: 'not sent' },
  ] as const;

export const totalOf = (progress: Counts): number =>
  countsIn(progress).reduce((sum, { count }) => sum + count, 0);

/** The products of an import by outcome. */
export function ProgressBar({ progress }: { progress: Counts }) {
  const total = Math.max(1, totalOf(progress));
  const counted = countsIn(progress).filter(({ count }) => count > 0);
  const said = counted.map(({ count, label }) => `${formatNumber(count)} ${label}`).join(', ');
  let end = 0;
  const parts = counted.map(({ tone, count }) => {
    const start = end;
    end += (100 * count) / total;
    return `var(--${tone}-bar) ${start}% ${end}%`;
  });
  const background = parts.length > 0 ? `linear-gradient(to right, ${parts.join(', ')})` : undefined;
  const text = `Products: ${said || 'none yet'}`;
  return <div class="progress" role="img" aria-label={text} title={text} style={{ background }} />;
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
