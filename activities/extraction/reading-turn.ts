/**
 * Limits the time for which one package is read before others (decision §reading-apart). An import records its
 * files piece by piece. After its turn the try ends with a failure, and Temporal queues the next try behind the waiting
 * packages.
 */
import type { PackageReader } from '../../src/archive/package-reader.ts';
import { ReadingTurnOver } from '../../src/domain/errors.ts';
import type { ShowProgress } from './with-package.ts';

export interface ReadingTurn {
  /**
   * Called after each recorded piece except the last.
   *
   * @throws ReadingTurnOver when the turn is over
   */
  kept(): void;
}

/** One try at an import. A later try does not read the recorded pieces again. */
export interface ImportReading {
  reader: PackageReader;
  showProgress: ShowProgress;
  turn: ReadingTurn;
}

/**
 * The time before the first recorded piece does not count: each try repeats that work. An example is the list of
 * unreadable files beyond its limit. A turn is at least as long as that work, so that repetition is at most half of the
 * work.
 */
export function beginReadingTurn(turnMs: number): ReadingTurn {
  const begun = performance.now();
  let first: number | undefined;
  return {
    kept() {
      const now = performance.now();
      first ??= now;
      if (now - first >= Math.max(turnMs, first - begun)) throw new ReadingTurnOver();
    },
  };
}
