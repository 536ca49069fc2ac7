import { useEffect, useState } from 'preact/hooks';
import { formatDuration } from '../../src/common/measures.ts';
import { formatTime, formatUtc } from './format.ts';

/** In the zone of the viewer; the tooltip has UTC. @param value ISO 8601 */
export function Time({ value }: { value: string }) {
  const time = new Date(value);
  return (
    <time dateTime={value} title={formatUtc(time)} class="number">
      {formatTime(time)}
    </time>
  );
}

/** @param to by default now */
export function Duration({ from, to }: { from: string; to?: string | null }) {
  const ms = Math.max(0, (to ? Date.parse(to) : Date.now()) - Date.parse(from));
  return <span class="number">{formatDuration(ms)}</span>;
}

/** Milliseconds since 1970, drawn again every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
