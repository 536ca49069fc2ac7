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

/** Each from the beginning of the bar to its own end, the last one furthest back: they grow, and none pushes another along. */
function stacked(segments: readonly Segment[]): (Segment & { end: number })[] {
  let end = 0;
  return segments
    .map((segment) => {
      end += segment.value;
      return { ...segment, end };
    })
    .reverse();
}
