import { formatDuration, formatTime, formatUtc } from './format.ts';

/** A moment in the viewer's zone, UTC on hover. @param value ISO 8601, as the API has it */
export function Time({ value }: { value: string }) {
  const time = new Date(value);
  return (
    <time dateTime={value} title={formatUtc(time)} class="number">
      {formatTime(time)}
    </time>
  );
}

/** How long something took, or has been taking. @param to by default now */
export function Duration({ from, to }: { from: string; to?: string | null }) {
  const ms = Math.max(0, (to ? Date.parse(to) : Date.now()) - Date.parse(from));
  return <span class="number">{formatDuration(ms)}</span>;
}
