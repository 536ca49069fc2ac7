/** What has to hold under overload. Pure: what was seen in, what does not hold out. */

/** One request of a client that does nothing wrong. */
export interface HonestRequest {
  what: 'import' | 'list';
  /** Of the last answer; null where there was none. */
  status: number | null;
  seconds: number;
}

export interface FlooderAnswer {
  what: string;
  /** Null where there was no answer. */
  status: number | null;
  /** Of a 429 or 503. */
  hasRetryAfter: boolean;
}

export interface ProcessSeen {
  name: string;
  idleMb: number;
  peakMb: number;
  /** How often it ended. */
  ended: number;
}

export interface Seen {
  honest: HonestRequest[];
  flooders: FlooderAnswer[];
  processes: ProcessSeen[];
  /** Of the inserts that were to wait: how many did when the flood began. */
  waiting: { wanted: number; seen: number };
  /** What had not come to its end when the patience was over, in words. */
  notRecovered: string[];
}

export const LONGEST_ANSWER_S = 30;
export const MEMORY_ABOVE_IDLE_MB = 400;

/** What is told to somebody who asks for too much, and is no fault where the service says when to come again. */
const TURNED_AWAY: readonly number[] = [429, 503];
/** What a hostile package may be answered: it cannot be read; or it takes longer than its client waits. */
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

  'who floods is told when to come again': ({ flooders }) =>
    flooders.flatMap(({ what, status, hasRetryAfter }) => {
      if (status === null || !FLOODER_ANSWERS.includes(status)) return [`${what}: ${status ?? 'no answer'}`];
      return TURNED_AWAY.includes(status) && !hasRetryAfter ? [`${what}: ${status} without Retry-After`] : [];
    }),

  'whoever floods gets something done': ({ flooders }) =>
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

  'as much waited as was to': ({ waiting }) =>
    waiting.seen >= waiting.wanted ? [] : [`${waiting.seen} inserts instead of ${waiting.wanted}`],

  'it recovers by itself': ({ notRecovered }) => [...notRecovered],
};

export function faultsOf(seen: Seen): { what: string; faults: string[] }[] {
  return Object.entries(HOLDS).map(([what, look]) => ({ what, faults: look(seen) }));
}
