/** Sizes, durations and speeds for people. Numbers are in the format of the browser or the terminal. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** Two units at most: `3 h 5 min`, `42 s`, `0.4 s`. @param ms milliseconds, not negative */
export function formatDuration(ms: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const seconds = ms / 1000;
  if (seconds < 10) return `${tenths.format(seconds)} s`;
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
  const names = [bytes === 1 ? 'byte' : 'bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), names.length - 1);
  const value = bytes / 1024 ** power;
  return `${(power === 0 ? whole : tenths).format(value)} ${names[power]}`;
}

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
