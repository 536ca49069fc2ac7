/**
 * How long one package is read before others may be (decision §reading-apart). A reading that is kept piece by
 * piece ends after its turn with a failure, and Temporal gives the next try its turn among what waits.
 */
import type { PackageReader } from '../../src/archive/package-reader.ts';
import { ReadingTurnOver } from '../../src/domain/errors.ts';
import type { ShowProgress } from './with-package.ts';

export interface ReadingTurn {
  /** To be told of every piece that is kept, while more are to come. @throws ReadingTurnOver when the turn is over */
  kept(): void;
}

/** One try at a package whose pieces are kept: what a later try finds, it does not read again. */
export interface ImportReading {
  reader: PackageReader;
  showProgress: ShowProgress;
  turn: ReadingTurn;
}

/**
 * The time before the first piece is kept belongs to no turn: what cannot be kept, such as the files beyond those that
 * are listed as unreadable, is read again by each try. A turn is at least as long, so that this is never more than half
 * of the work.
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
