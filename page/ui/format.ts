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
