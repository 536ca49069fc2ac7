/**
 * Product files for people who correct them: one of a stored package, packages of some, and a package built around one.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { CachedReader } from './cached-reader.ts';
import { walkDirectory } from './central-directory.ts';
import { type DirectoryEnd, readDirectoryEnd } from './directory-end.ts';
import { entryPieces, storedPieces } from './entry-data.ts';
import type { ArchiveEntry } from './guards.ts';
import type { ArchiveStorage } from './storage.ts';
import { createZipWriter } from './zip-writer.ts';

const FOLDER = 'mended/export/ecigarette-product-submissions';

/**
 * `read` and `repairPack` throw FileMissing when the package is no longer stored, InvalidPackage when it cannot be
 * read.
 */
export interface ProductFiles {
  /** The content of the file at a position of a stored package, in constant memory. */
  read(storageKey: string, position: number): Promise<Readable>;
  /**
   * A package of some files of a stored one, in the same layout, with a note beside them. It copies the files as they are
   * stored, one after the other while the client takes them, so that memory holds none of them as a whole.
   */
  repairPack(request: RepairPackRequest): Promise<Readable>;
  /** The package of one product file, built while the file arrives. */
  pack(xmlFile: string, content: Readable): SingleFilePackage;
}

interface RepairPackRequest {
  storageKey: string;
  /** Positions of the files in the stored package, in ascending order. */
  entries: readonly number[];
  /** A text file in the root directory, which an import ignores. */
  note: { path: string; text: AsyncIterable<string> };
}

interface SingleFilePackage {
  zip: Readable;
  /** Hexadecimal SHA-256 of the product file. To be called after the end of `zip`. */
  sha256(): string;
}

export function createProductFiles(storage: Pick<ArchiveStorage, 'open'>): ProductFiles {
  return {
    read: (storageKey, position) =>
      streamOfEntries(storage, storageKey, [position], async function* content(chosen, source) {
        for await (const entry of chosen) yield* entryPieces(source, entry);
      }),

    repairPack: ({ storageKey, entries, note }) =>
      streamOfEntries(storage, storageKey, entries, async function* pack(chosen, source) {
        const zip = createZipWriter();
        yield* zip.deflated(note.path, note.text);
        for await (const entry of chosen) yield* zip.copied(entry, storedPieces(source, entry));
        yield zip.end();
      }),

    pack(xmlFile, content) {
      const hash = createHash('sha256');
      async function* pieces() {
        const zip = createZipWriter();
        yield* zip.deflated(`${FOLDER}/${xmlFile}`, content, hash);
        yield zip.end();
      }
      return { zip: Readable.from(pieces(), { objectMode: false }), sha256: () => hash.digest('hex') };
    },
  };
}

/** A stream made of the entries at some positions of a stored package, in ascending order. */
async function streamOfEntries(
  storage: Pick<ArchiveStorage, 'open'>,
  storageKey: string,
  positions: readonly number[],
  made: (entries: AsyncIterable<ArchiveEntry>, source: CachedReader) => AsyncGenerator<Buffer>,
): Promise<Readable> {
  const stored = await storage.open(storageKey);
  try {
    const end = await readDirectoryEnd(stored);
    const source = new CachedReader(stored, end.prefix);
    const content = made(chosenEntries(source, end, positions), source);
    return Readable.from(content, { objectMode: false }).once('close', () => void stored.close());
  } catch (error) {
    await stored.close();
    throw error;
  }
}

/** @throws Error when the package has fewer entries */
async function* chosenEntries(
  source: CachedReader,
  end: DirectoryEnd,
  positions: readonly number[],
): AsyncGenerator<ArchiveEntry> {
  let found = 0;
  for await (const entry of walkDirectory(source, end)) {
    if (entry.index !== positions[found]) continue;
    found += 1;
    yield { ...entry, regionEnd: end.directoryStart };
    if (found === positions.length) return;
  }
  throw new Error('the stored package has fewer entries than its import');
}
