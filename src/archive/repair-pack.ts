/**
 * Builds a new package from some files of a stored one, in the same layout, with a note beside them. It copies the files as
 * they are stored, one after the other while the client takes them, so that memory holds none of them as a whole.
 */
import type { Readable } from 'node:stream';
import { streamOfEntries } from './central-directory.ts';
import { storedPieces } from './entry-data.ts';
import type { ArchiveStorage } from './storage.ts';
import { createZipWriter } from './zip-writer.ts';

interface RepairPackRequest {
  storageKey: string;
  /** Positions of the files in the stored package, in ascending order. */
  entries: readonly number[];
  /** A text file in the root directory, which an import ignores. */
  note: { path: string; text: AsyncIterable<string> };
}

/** @throws FileMissing when the package is no longer stored, InvalidPackage when it cannot be read */
export type RepairPacks = (request: RepairPackRequest) => Promise<Readable>;

export function createRepairPacks(storage: Pick<ArchiveStorage, 'open'>): RepairPacks {
  return ({ storageKey, entries, note }) =>
    streamOfEntries(storage, storageKey, entries, async function* pack(chosen, source) {
      const zip = createZipWriter();
      yield* zip.deflated(note.path, note.text);
      for await (const entry of chosen) yield* zip.copied(entry, storedPieces(source, entry));
      yield zip.end();
    });
}
