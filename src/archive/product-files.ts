/** Single product files: one of a stored package, and a package built around one. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { CachedReader } from './cached-reader.ts';
import { chosenEntries } from './central-directory.ts';
import { readDirectoryEnd } from './directory-end.ts';
import { entryPieces } from './entry-data.ts';
import { PACKAGE_LIMITS } from './limits.ts';
import type { ArchiveStorage } from './storage.ts';
import { createZipWriter } from './zip-writer.ts';

const FOLDER = 'mended/export/ecigarette-product-submissions';

export interface ProductFiles {
  /**
   * The content of the file at a position of a stored package, in constant memory.
   *
   * @throws FileMissing when the package is no longer stored, InvalidPackage when it cannot be read
   */
  read(storageKey: string, position: number): Promise<Readable>;
  /** The package of one product file, built while the file arrives. */
  pack(xmlFile: string, content: Readable): SingleFilePackage;
}

interface SingleFilePackage {
  zip: Readable;
  /** Hexadecimal SHA-256 of the product file. To be called after the end of `zip`. */
  sha256(): string;
}

export function createProductFiles(storage: Pick<ArchiveStorage, 'open'>): ProductFiles {
  return {
    async read(storageKey, position) {
      const stored = await storage.open(storageKey);
      try {
        const end = await readDirectoryEnd(stored, PACKAGE_LIMITS);
        const source = new CachedReader(stored, end.prefix);
        async function* content() {
          for await (const entry of chosenEntries(source, end, [position])) yield* entryPieces(source, entry);
        }
        return Readable.from(content(), { objectMode: false }).once('close', () => void stored.close());
      } catch (error) {
        await stored.close();
        throw error;
      }
    },

    pack(xmlFile, content) {
      const hash = createHash('sha256');
      async function* hashed() {
        for await (const piece of content) {
          hash.update(piece);
          yield piece;
        }
      }
      async function* pieces() {
        const zip = createZipWriter();
        yield* zip.deflated(`${FOLDER}/${xmlFile}`, hashed());
        yield zip.end();
      }
      return { zip: Readable.from(pieces(), { objectMode: false }), sha256: () => hash.digest('hex') };
    },
  };
}
