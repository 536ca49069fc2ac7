/** Invariants under overload, and their results as text. Pure: observations in, violations out. */
import { type CheckResult, table, tally, verdictOf } from '../support/proof.ts';

/** Invariants under overload. Pure: observations in, violations out. */

/** One request of a client that does nothing wrong. */
export interface HonestRequest {
  what: 'import' | 'list';
  /** Status of the last answer; null without one. */
  status: number | null;
  seconds: number;
}

export interface FlooderAnswer {
  what: string;
  /** Null where there was no answer. */
  status: number | null;
  /** Whether a 429 or 503 has the header. */
  hasRetryAfter: boolean;
}

export interface ProcessSeen {
  name: string;
  idleMb: number;
  peakMb: number;
  /** Number of times that it ended. */
  ended: number;
}

export interface Seen {
  honest: HonestRequest[];
  flooders: FlooderAnswer[];
  processes: ProcessSeen[];
  /** Inserts that should wait: the wanted number, and the number at the start of the flood. */
  waiting: { wanted: number; seen: number };
  /** Parts that had not recovered at the end of the time limit, in words. */
  notRecovered: string[];
}

const LONGEST_ANSWER_S = 10;
const MEMORY_ABOVE_IDLE_MB = 400;

/** Refusals of excessive requests, which are no fault if the service says when to retry. */
const TURNED_AWAY: readonly number[] = [429, 503];
/** Allowed answers to a hostile package: it cannot be read, or reading takes longer than its client waits. */
const FLOODER_ANSWERS: readonly number[] = [200, 400, 408, 413, 500, ...TURNED_AWAY];

export const HOLDS: Record<string, (seen: Seen) => string[]> = {
  [`others are answered within ${LONGEST_ANSWER_S} s`]: ({ honest }) => [
    ...honest.flatMap(({ what, status, seconds }) =>
      status === 200 && seconds <= LONGEST_ANSWER_S
        ? []
        : [`${what}: ${status ?? 'no answer'} after ${seconds.toFixed(1)} s`],
    ),
    ...(honest.length === 0 ? ['nobody asked'] : []),
  ],

  'a flooding client is told when to retry': ({ flooders }) =>
    flooders.flatMap(({ what, status, hasRetryAfter }) => {
      if (status === null || !FLOODER_ANSWERS.includes(status)) return [`${what}: ${status ?? 'no answer'}`];
      return TURNED_AWAY.includes(status) && !hasRetryAfter ? [`${what}: ${status} without Retry-After`] : [];
    }),

  'each kind of flood gets some answers 200': ({ flooders }) =>
    [...new Set(flooders.map(({ what }) => what))]
      .filter((kind) => !/^hostile/.test(kind))
      .filter((kind) => !flooders.some(({ what, status }) => what === kind && status === 200))
      .map((kind) => `${kind}: none was answered with 200`),

  'no process dies': ({ processes }) =>
    processes.flatMap(({ name, ended }) => (ended === 0 ? [] : [`${name} ended ${ended} times`])),

  [`memory stays below ${MEMORY_ABOVE_IDLE_MB} MB above idle`]: ({ processes }) =>
    processes.flatMap(({ name, idleMb, peakMb }) => {
      const above = Math.round(peakMb - idleMb);
      return above < MEMORY_ABOVE_IDLE_MB ? [] : [`${name}: ${above} MB`];
    }),

  'the wanted number of inserts waited': ({ waiting }) =>
    waiting.seen >= waiting.wanted ? [] : [`${waiting.seen} inserts instead of ${waiting.wanted}`],

  'it recovers by itself': ({ notRecovered }) => [...notRecovered],
};

export function checkAll(seen: Seen): CheckResult[] {
  return Object.entries(HOLDS).map(([check, look]) => ({ check, findings: look(seen) }));
}

/** Results of an overload run, as text for the terminal. */
export function reportOf(seen: Seen): string {
  const { honest, flooders, processes, waiting } = seen;
  const requests = (['import', 'list'] as const).map((what): [string, string] => {
    const times = honest.filter((one) => one.what === what).map(({ seconds }) => seconds);
    const longest = Math.max(0, ...times).toFixed(1);
    return [`honest client: ${what}`, `${times.length} requests, the longest ${longest} s`];
  });
  const kinds = Map.groupBy(flooders, ({ what }) => what.replace(/ \d+$/, ''));
  return [
    table([
      ['inserts that waited', waiting.seen],
      ...requests,
      ...[...kinds].map(([kind, answers]): [string, string] => [
        `flooders: ${kind}`,
        tally(statusesOf(answers)),
      ]),
      ...processes.map(({ name, idleMb, peakMb }): [string, string] => [
        name,
        `${Math.round(idleMb)} MB idle, ${Math.round(peakMb)} MB at most`,
      ]),
    ]),
    verdictOf(checkAll(seen)),
  ].join('\n');
}

function statusesOf(answers: readonly FlooderAnswer[]): Record<string, number> {
  const byStatus = Map.groupBy(answers, ({ status }) => `${status ?? 'no answer'}`);
  return Object.fromEntries([...byStatus].map(([status, all]) => [status, all.length]));
}
