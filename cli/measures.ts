/** Amounts and times for display. */
import { BYTES_PER_MB } from '../src/contract/limits.ts';

/** `812 KB`, `12.3 MB`; 1 MB is 1024 × 1024 bytes, as everywhere in the interface. */
export function bytesText(bytes: number): string {
  if (bytes < BYTES_PER_MB) return `${Math.ceil(bytes / 1024)} KB`;
  return `${(bytes / BYTES_PER_MB).toFixed(1)} MB`;
}

/** `8 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** An average or typical duration: `0.4 s`, `12 s`, `3 min 20 s`. */
export function tookText(seconds: number): string {
  if (seconds >= 10) return durationText(seconds);
  return seconds < 0.05 ? '< 0.1 s' : `${seconds.toFixed(1)} s`;
}
