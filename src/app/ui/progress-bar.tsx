import { formatNumber } from './format.ts';

export interface Segment {
  tone: 'good' | 'bad' | 'warn' | 'busy';
  value: number;
  /** As in `3 failed`. */
  label: string;
}

/** How far something is, by outcome; what no segment counts is still to come. */
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
      {segments.map(({ tone, value, label: name }) => (
        <span
          key={name}
          class={`bar-${tone}`}
          style={{ width: `${total === 0 ? 0 : (100 * value) / total}%` }}
        />
      ))}
    </div>
  );
}
