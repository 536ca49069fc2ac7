/** Builds a new package from some files of a stored one, in the same layout, with a note beside them. */
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { TooManyPackages } from '../domain/errors.ts';
import { PACKAGE_LIMITS } from './limits.ts';
import { openPackage } from './package-reader.ts';
import type { ReadingBudget } from './reading-budget.ts';
import type { ArchiveStorage } from './storage.ts';

export interface RepairPackRequest {
  storageKey: string;
  /** Paths in the stored package. */
  paths: ReadonlySet<string>;
  /** A text file in the root directory, which an import ignores. */
  note: { name: string; content: string };
}

/** Maximum wait for memory while other packages are read. */
const LONGEST_WAIT_MS = 20_000;

/**
 * @throws FileMissing when the package is no longer stored, InvalidPackage when it cannot be read, TooManyPackages
 */
export type RepairPacks = (request: RepairPackRequest) => Promise<Readable>;

/** @param directories memory budget for the directories of the packages that are read at the same time */
export function createRepairPacks(
  storage: ArchiveStorage,
  directories: ReadingBudget,
  longestWaitMs = LONGEST_WAIT_MS,
): RepairPacks {
  const reserve = (bytes: number) =>
    directories.reserve(bytes, AbortSignal.timeout(longestWaitMs)).catch(() => {
      throw new TooManyPackages();
    });
  return async ({ storageKey, paths, note }) => {
    const stored = await openPackage(await storage.open(storageKey), PACKAGE_LIMITS, reserve);
    const zip = new ZipFile();
    zip.addBuffer(Buffer.from(note.content), `${stored.root}/${note.name}`);
    for (const file of stored.files.filter(({ path }) => paths.has(path))) {
      zip.addReadStreamLazy(file.path, (take) => take(null, Readable.from(stored.pieces(file))));
    }
    zip.end();
    const output = new PassThrough();
    // An unreadable file, or a client that disconnects, ends both streams.
    zip.once('error', (error: Error) => output.destroy(error));
    pipeline(zip.outputStream, output)
      .catch(() => {}) // `output` reports it.
      .finally(() => stored.close());
    return output;
  };
}
