/** Values as people read them: numbers and times in the format of the browser, names, lists of facts and notes. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatDuration } from '../../src/common/measures.ts';

const numbers = new Intl.NumberFormat();
export const formatNumber = (value: number): string => numbers.format(value);

const days = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The day now. It changes while the page is open. */
const today = signal(days.format(new Date()));
setInterval(() => {
  today.value = days.format(new Date());
}, 60_000);

/** In the viewer's time zone; a time of today has no date. */
export function formatTime(time: Date): string {
  const isToday = days.format(time) === today.value;
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

/** The values that are not empty. */
export const given = <Name extends string>(values: Readonly<Record<Name, string>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as { [N in Name]?: string };

/** The query of an address, with its question mark; empty values are left out. */
export function searchOf(values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(given(values) as Record<string, string>).toString();
  return query && `?${query}`;
}

/** In the zone of the viewer; the tooltip has UTC. @param value ISO 8601 */
export function Time({ value }: { value: string }) {
  const time = new Date(value);
  return (
    <time dateTime={value} title={formatUtc(time)} class="number">
      {formatTime(time)}
    </time>
  );
}

/** @param to null while it lasts */
export function Duration({ from, to }: { from: string; to: string | null }) {
  if (to === null) return <SoFar from={from} />;
  return <span class="number">{formatDuration(Math.max(0, Date.parse(to) - Date.parse(from)))}</span>;
}

function SoFar({ from }: { from: string }) {
  return <span class="number">{formatDuration(Math.max(0, -useSecondsUntil(Date.parse(from))) * 1000)}</span>;
}

/**
 * Whole seconds until a time, negative after it, drawn again every second: tenths would flicker.
 *
 * @param time milliseconds
 */
export function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.ceil((time - now) / 1000);
}

/** A list of names with their values. An undefined value leaves its name out. */
export function Facts({ of }: { of: Readonly<Record<string, ComponentChildren>> }) {
  const facts = Object.entries(of).filter(([, value]) => value !== undefined);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="muted small">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A list of texts, which may be equal. */
export function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <ul class="bullets">
      {notes.map((note, index) => (
        <li key={index}>{note}</li>
      ))}
    </ul>
  );
}

/** The code with which the Commission's gateway would report the fault. */
export function CommissionCode({ code }: { code: string }) {
  return (
    <p class="muted">
      The Commission's gateway: <code>{code}</code>
    </p>
  );
}
