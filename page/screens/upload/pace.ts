/** How fast an upload goes, and for how long still: of its last seconds, so that neither jumps nor lags. */

export interface Pace {
  /** Bytes; null until enough was seen. */
  perSecond: number | null;
  /** Milliseconds; null until enough was seen, or while nothing moves. */
  leftMs: number | null;
}

const WINDOW_MS = 8_000;
/** Before that a guess would be one. */
const LEAST_MS = 1_000;

export function createPace() {
  let seen: { at: number; sent: number }[] = [];
  return {
    /** @param now milliseconds */
    add(sent: number, total: number, now: number): Pace {
      seen = [...seen.filter(({ at }) => now - at <= WINDOW_MS), { at: now, sent }];
      const first = seen[0] ?? { at: now, sent };
      const ms = now - first.at;
      if (ms < LEAST_MS) return { perSecond: null, leftMs: null };
      const perSecond = ((sent - first.sent) * 1000) / ms;
      return { perSecond, leftMs: perSecond > 0 ? ((total - sent) * 1000) / perSecond : null };
    },
  };
}
