/** Shared by imports and dry runs: opens the package and sends heartbeats with the progress. */
import { Context } from '@temporalio/activity';
import { openPackage, type PackageReader } from '../../src/archive/package-reader.ts';
import type { Release, Semaphore } from '../../src/common/semaphore.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { ReadingDependencies } from '../dependencies.ts';
import { type LimitedAttempt, limitLostAttempts, type ShowProgress } from './limit-lost-attempts.ts';
import { contentsMemory } from './product-files.ts';

/**
 * Opens a stored package for the duration of the work, within the process's memory budget for reading. Heartbeats begin
 * before it is open: the process may wait for its budget, and the directory of a large archive takes seconds.
 *
 * @param extraBytes memory of the work beyond reading
 * @param maxLostAlone attempts that may be lost with their process, while they read alone, before the work is given up
 * @throws FileMissing when it is not stored, InvalidPackage when it cannot be read as a whole, LostTooOften
 */
export async function withPackage<T>(
  { storage, readingBudgets }: Pick<ReadingDependencies, 'storage' | 'readingBudgets'>,
  {
    storageKey,
    maxLostAlone,
    extraBytes = 0,
  }: { storageKey: string; maxLostAlone: number; extraBytes?: number },
  work: (reader: PackageReader, limited: LimitedAttempt) => Promise<T>,
): Promise<T> {
  const { cancellationSignal } = Context.current();
  return limitLostAttempts(maxLostAlone, async (limited) => {
    const { suspicious, beginAlone } = limited;
    const reserve = (memory: Semaphore, bytes: number): Promise<Release> =>
      memory.reserve(suspicious ? Number.POSITIVE_INFINITY : bytes, cancellationSignal);
    const { directories, contents } = readingBudgets;
    await using held = new AsyncDisposableStack();
    const reader = await openPackage(await storage.open(storageKey), async (bytes) => {
      const release = await reserve(directories, bytes);
      // Every reader reserves memory for its directory. This one has all of it, so the process reads no other package.
      if (suspicious) await beginAlone();
      return release;
    });
    held.defer(() => reader.close());
    held.defer(await reserve(contents, contentsMemory(reader) + extraBytes));
    return await work(reader, limited);
  });
}

/** This reading yields to others. The next attempt resumes after the last recorded piece. */
export class TimeSliceOver extends DomainError {
  readonly permanent = false;
  override readonly expected = true;
  override readonly retryAfterSeconds = 0.1;

  constructor() {
    super(
      'The time slice of this package has ended. Reading resumes after the waiting packages had a slice.',
    );
  }
}

/** One attempt at an import. A later attempt does not read the recorded pieces again. */
export interface ImportReading {
  reader: PackageReader;
  showProgress: ShowProgress;
  /** Called after each recorded piece except the last. @throws TimeSliceOver when the time slice is over */
  pieceRecorded(): void;
}

/**
 * A time slice of reading (decision §reading-apart). An import records its files piece by piece. At the end of its
 * slice the attempt ends with a failure, and Temporal queues the next attempt behind the waiting packages.
 *
 * The time before the first recorded piece does not count: each attempt repeats that work. An example is the list of
 * unreadable files beyond its limit. A slice is at least as long as that work, so that repetition is at most half of the
 * work.
 *
 * @returns `pieceRecorded`
 */
export function beginTimeSlice(sliceMs: number, onRecorded: () => void = () => {}): () => void {
  const begun = performance.now();
  let first: number | undefined;
  return () => {
    onRecorded();
    const now = performance.now();
    first ??= now;
    if (now - first >= Math.max(sliceMs, first - begun)) throw new TimeSliceOver();
  };
}
