/**
 * Time slices of reading (decision §reading-apart). An import records its files piece by piece. At the end of its time
 * slice the try ends with a failure, and Temporal queues the next try behind the waiting packages.
 */
import type { PackageReader } from '../../src/archive/package-reader.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { ShowProgress } from './with-package.ts';

/** This reading yields to others. The next try resumes after the last recorded piece. */
export class TimeSliceOver extends DomainError {
  readonly permanent = false;
  override readonly expected = true;
  override readonly retryAfterSeconds = 0.1;

  constructor() {
    super('The time slice of this package is over. Reading resumes when waiting packages have had a slice.');
  }
}

export interface TimeSlice {
  /**
   * Called after each recorded piece except the last.
   *
   * @throws TimeSliceOver when the slice is over
   */
  recorded(): void;
}

/** One try at an import. A later try does not read the recorded pieces again. */
export interface ImportReading {
  reader: PackageReader;
  showProgress: ShowProgress;
  slice: TimeSlice;
}

/**
 * The time before the first recorded piece does not count: each try repeats that work. An example is the list of
 * unreadable files beyond its limit. A slice is at least as long as that work, so that repetition is at most half of the
 * work.
 */
export function beginTimeSlice(sliceMs: number, onRecorded: () => void = () => {}): TimeSlice {
  const begun = performance.now();
  let first: number | undefined;
  return {
    recorded() {
      onRecorded();
      const now = performance.now();
      first ??= now;
      if (now - first >= Math.max(sliceMs, first - begun)) throw new TimeSliceOver();
    },
  };
}
