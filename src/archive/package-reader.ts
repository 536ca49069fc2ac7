/** Reads a stored package: judges it as a whole when it is opened, and reads each file on demand. */

import { createSemaphore, type Release, type Semaphore } from '../common/semaphore.ts';
import { excerpt } from '../common/text.ts';
import { InvalidPackage } from '../domain/client-errors.ts';
import { CachedReader } from './cached-reader.ts';
import { readDirectory } from './central-directory.ts';
import { readDirectoryEnd } from './directory-end.ts';
import { entryPieces, packedEntry } from './entry-data.ts';
import type { ArchiveEntry } from './guards.ts';
import { baseName, classify, type FileKind, findRoot } from './layout.ts';
import { directoryMemory, PACKAGE_LIMITS } from './limits.ts';
import type { PackedFile } from './packed-file.ts';
import type { StoredFileReader } from './storage.ts';

/** A file of the package that the service uses. */
export interface PackageFile {
  kind: FileKind;
  /** Position in the archive, from 0. */
  index: number;
  /** Normalized path in the archive. */
  path: string;
  /** Base name, as in the interface. */
  name: string;
  /** Uncompressed size as declared. Reading fails if the true size differs. */
  sizeBytes: number;
}

/** Whether the kind of a file is one of products. */
export function isProductFile({ kind }: PackageFile): boolean {
  return kind === 'product' || kind === 'tobacco-product';
}

/**
 * Memory for the directories and for the contents of packages. A reader that holds a directory may wait for contents, but
 * never the other way round. This order prevents a deadlock.
 */
export interface ReadingBudgets {
  directories: Semaphore;
  contents: Semaphore;
}

/** @param bytes for directories, and as many for contents */
export function createReadingBudgets(bytes: number): ReadingBudgets {
  return { directories: createSemaphore(bytes), contents: createSemaphore(bytes) };
}

export interface PackageReader {
  root: string;
  /** In archive order. */
  files: PackageFile[];
  /**
   * The content of a file in pieces, inflated and checked against everything the archive declares about it.
   *
   * Throws InvalidPackage when it does not match: such an archive is damaged as a whole.
   */
  pieces(file: PackageFile): AsyncGenerator<Buffer>;
  /** The content of a small file as it is stored, for `unpacked`. Throws like `pieces`. */
  packed(file: PackageFile): Promise<PackedFile>;
  close(): Promise<void>;
}

/** Waits until the directory of a package may take this many bytes. */
type Reserve = (bytes: number) => Promise<Release>;

/**
 * Opens a stored package and judges it as a whole. The reader owns the stored file from then on, and closes it
 * if it refuses the package.
 *
 * @param reserve called before the directory is read; the reservation ends when the reader is closed
 * @throws InvalidPackage when the archive cannot be read, is hostile, or does not have the expected layout
 */
export async function openPackage(
  stored: StoredFileReader,
  reserve: Reserve = async () => () => {},
): Promise<PackageReader> {
  let release: Release = () => {};
  const close = () => stored.close().finally(release);
  try {
    const end = await readDirectoryEnd(stored);
    release = await reserve(directoryMemory(end));
    const source = new CachedReader(stored, end.prefix);
    const entries = await readDirectory(source, end);
    const root = findRoot(entries.map(({ name }) => name));
    const entryOf = ({ index, path }: PackageFile): ArchiveEntry => {
      const entry = entries[index];
      if (entry?.name !== path) throw new Error(`${path} is not a file of this package`);
      return entry;
    };
    return {
      root,
      files: filesOf(entries, root),
      pieces: (file) => entryPieces(source, entryOf(file)),
      packed: (file) => packedEntry(source, entryOf(file)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws InvalidPackage when there are too many products, or one is too large to be a product */
function filesOf(entries: readonly ArchiveEntry[], root: string): PackageFile[] {
  const files = entries.flatMap(({ index, name, sizeBytes }): PackageFile[] => {
    const kind = classify(name, root);
    return kind === null ? [] : [{ kind, index, path: name, name: baseName(name), sizeBytes }];
  });
  files.forEach(refuseAbsurdProduct);
  const products = files.filter(isProductFile).length;
  if (products > PACKAGE_LIMITS.products)
    throw new InvalidPackage(
      `the package has ${products} product files; at most ${PACKAGE_LIMITS.products} are accepted`,
    );
  return files;
}

function refuseAbsurdProduct(file: PackageFile): void {
  if (file.kind !== 'product' || file.sizeBytes <= PACKAGE_LIMITS.absurdProductFileBytes) return;
  throw new InvalidPackage(
    `product file "${excerpt(file.name, 120)}" unpacks to ${file.sizeBytes} bytes; at most ${PACKAGE_LIMITS.productFileBytes} are accepted`,
  );
}
