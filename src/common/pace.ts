/** Speed of a progress, from its last seconds. */
export interface Pace {
  /** Amount per second once `done` are done; null in the first second, when it is unknown. */
  at(done: number): number | null;
}

/** Older progress does not count: an old speed does not predict the remaining time. */
const WINDOW_MS = 5_000;
const UNKNOWN_MS = 1_000;

/** @param now milliseconds */
export function createPace(now: () => number = () => performance.now()): Pace {
  const samples: { at: number; done: number }[] = [{ at: now(), done: 0 }];
  return {
    at(done) {
      const at = now();
      samples.push({ at, done });
      while (samples.length > 2 && at - (samples[1]?.at ?? at) > WINDOW_MS) samples.shift();
      const first = samples[0] ?? { at, done };
      return at - first.at < UNKNOWN_MS ? null : ((done - first.done) * 1000) / (at - first.at);
    },
  };
}
