/** Shared by imports and dry runs: opens the package and sends heartbeats with the progress. */
import { Context } from '@temporalio/activity';
import { PACKAGE_LIMITS } from '../../src/archive/limits.ts';
import { openPackage, type PackageReader } from '../../src/archive/package-reader.ts';
import type { ReadingBudget, Release } from '../../src/common/reading-budget.ts';
import type { ReadingDependencies } from '../dependencies.ts';
import { limitLostTries } from '../limit-lost-tries.ts';
import { contentsMemory } from './product-files.ts';

/** Progress in heartbeats. */
export interface ExtractionProgress {
  phase: 'attachments and submitters' | 'products';
  done: number;
  total: number;
}

export type ShowProgress = (progress: ExtractionProgress) => void;

export interface PackageTry {
  showProgress: ShowProgress;
  /** To be called when a later try will not repeat the work so far. */
  madeProgress(): void;
}

/**
 * Opens a stored package for the duration of the work, within the process's memory budget for reading. Heartbeats begin
 * before it is open: the process may wait for its budget, and the directory of a large archive takes seconds.
 *
 * @param extraBytes memory of the work beyond reading
 * @param deathsAllowed tries that may be lost with their process, while they read alone, before the work is given up
 * @throws FileMissing when it is not stored, InvalidPackage when it cannot be read as a whole, TriedTooOften
 */
export async function withPackage<T>(
  { storage, readingBudgets }: Pick<ReadingDependencies, 'storage' | 'readingBudgets'>,
  {
    storageKey,
    deathsAllowed,
    extraBytes = 0,
  }: { storageKey: string; deathsAllowed: number; extraBytes?: number },
  work: (reader: PackageReader, tries: PackageTry) => Promise<T>,
): Promise<T> {
  const { cancellationSignal } = Context.current();
  return limitLostTries(
    { what: 'Reading the package', deathsAllowed, isShared: true },
    async ({ suspicious, beginAlone, report, madeProgress }) => {
      const reserve = (budget: ReadingBudget, bytes: number): Promise<Release> =>
        budget.reserve(suspicious ? Number.POSITIVE_INFINITY : bytes, cancellationSignal);
      const { directories, contents } = readingBudgets;
      const stored = await storage.open(storageKey);
      const reader = await openPackage(stored, PACKAGE_LIMITS, async (bytes) => {
        const release = await reserve(directories, bytes);
        // Every reader holds a directory: now this process reads no other package.
        if (suspicious) await beginAlone();
        return release;
      });
      try {
        const release = await reserve(contents, contentsMemory(reader) + extraBytes);
        try {
          return await work(reader, { showProgress: report, madeProgress });
        } finally {
          release();
        }
      } finally {
        await reader.close();
      }
    },
  );
}
