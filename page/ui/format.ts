/** Numbers, times and sizes in the format of the browser; names and addresses. */

const numbers = new Intl.NumberFormat();
export const formatNumber = (value: number): string => numbers.format(value);

const days = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** In the viewer's time zone; a time of today has no date. */
export function formatTime(time: Date, now = new Date()): string {
  const isToday = days.format(time) === days.format(now);
  return isToday ? clock.format(time) : `${days.format(time)}, ${clock.format(time)}`;
}

/** As in `2026-01-31 12:00:00 UTC`. */
export const formatUtc = (time: Date): string => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Two units at most: `3 h 5 min`, `42 s`, `0.4 s`. @param ms milliseconds, not negative */
export function formatDuration(ms: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const seconds = ms / 1000;
  if (seconds < 10) return `${numbers.format(Math.round(seconds * 10) / 10)} s`;
  let rest = Math.round(seconds);
  const parts = units.flatMap(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return [{ name, count }];
  });
  const first = parts.findIndex(({ count }) => count > 0);
  const shown = parts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ name, count }) => `${count} ${name}`).join(' ');
}

/** @param bytes as in `12.3 MB`, a MB is 1024 × 1024 bytes */
export function formatBytes(bytes: number): string {
  const names = [bytes === 1 ? 'byte' : 'bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), names.length - 1);
  const value = new Intl.NumberFormat(undefined, { maximumFractionDigits: power === 0 ? 0 : 1 });
  return `${value.format(bytes / 1024 ** power)} ${names[power]}`;
}

/** `1 import`, `2 imports`. */
export const countOf = (count: number, one: string, several = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : several}`;

/** An actor of the audit trail as people know it: `ann` of `person:4f1b (ann)`, `operator` of `person:operator`. */
export const personOf = (actor: string): string =>
  /^person:\S+ \((.+)\)$/.exec(actor)?.[1] ?? actor.replace(/^(person|client):/, '');

/** An actor with its kind: `person:ann` of `person:4f1b (ann)`. */
export const actorOf = (actor: string): string =>
  actor.startsWith('person:') ? `person:${personOf(actor)}` : actor;

/** The query of an address, with its question mark; empty values are left out. */
export function searchOf(values: Readonly<Record<string, string | number>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
