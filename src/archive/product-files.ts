/** Single product files: one of a stored package, and a package built around one. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { streamOfEntries } from './central-directory.ts';
import { entryPieces } from './entry-data.ts';
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
    read: (storageKey, position) =>
      streamOfEntries(storage, storageKey, [position], async function* content(chosen, source) {
        for await (const entry of chosen) yield* entryPieces(source, entry);
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
