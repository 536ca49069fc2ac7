/**
 * Builds a new package from some files of a stored one, in the same layout, with a note beside them. It copies the files as
 * they are stored, one after the other while the client takes them, so that memory holds none of them as a whole.
 */
import { Readable } from 'node:stream';
import { CachedReader } from './cached-reader.ts';
import { chosenEntries } from './central-directory.ts';
import { type DirectoryEnd, readDirectoryEnd } from './directory-end.ts';
import { storedPieces } from './entry-data.ts';
import { PACKAGE_LIMITS } from './limits.ts';
import type { ArchiveStorage, StoredFileReader } from './storage.ts';
import { createZipWriter } from './zip-writer.ts';

export interface RepairPackRequest {
  storageKey: string;
  /** Positions of the files in the stored package, in ascending order. */
  entries: readonly number[];
  /** A text file in the root directory, which an import ignores. */
  note: { path: string; text: AsyncIterable<string> };
}

/** @throws FileMissing when the package is no longer stored, InvalidPackage when it cannot be read */
export type RepairPacks = (request: RepairPackRequest) => Promise<Readable>;

export function createRepairPacks(storage: ArchiveStorage): RepairPacks {
  return async (request) => {
    const stored = await storage.open(request.storageKey);
    try {
      const end = await readDirectoryEnd(stored, PACKAGE_LIMITS);
      const pack = Readable.from(packOf(stored, end, request), { objectMode: false });
      return pack.once('close', () => void stored.close());
    } catch (error) {
      await stored.close();
      throw error;
    }
  };
}

async function* packOf(
  stored: StoredFileReader,
  end: DirectoryEnd,
  { entries, note }: RepairPackRequest,
): AsyncGenerator<Buffer> {
  const zip = createZipWriter();
  yield* zip.deflated(note.path, note.text);
  const source = new CachedReader(stored, end.prefix);
  for await (const entry of chosenEntries(source, end, entries))
    yield* zip.copied(entry, storedPieces(source, entry));
  yield zip.end();
}
