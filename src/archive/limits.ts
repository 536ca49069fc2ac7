/**
 * Limits on the memory and disk that a hostile archive can use (package format §6: "refuse early,
 * counting real bytes, not declared sizes"). All are far above any genuine export.
 */
const KIB = 1024;
const MIB = 1024 * KIB;

export interface PackageLimits {
  entries: number;
  /** Number of files that each stand for a product. */
  products: number;
  /** Size of the central directory, which is kept in memory. */
  directoryBytes: number;
  /** Size of an entry's name in UTF-8. The name is the key of the file's outcome, and database indexes end at 2,704 bytes. */
  nameBytes: number;
  /** Uncompressed size of all entries together. */
  totalBytes: number;
  /** Uncompressed size of one entry of any kind. */
  entryBytes: number;
  /** Uncompressed size of a product file; a larger one fails that file, not the package. */
  productFileBytes: number;
  /** Uncompressed size of a submitter file. */
  submitterFileBytes: number;
  /** Size of a product file that is an attack on the reader and no product: the package is refused. */
  absurdProductFileBytes: number;
  /** Uncompressed : compressed, for an entry or a whole archive of more than `ratioFromBytes`. */
  ratio: number;
  ratioFromBytes: number;
}

export const PACKAGE_LIMITS: Readonly<PackageLimits> = {
  entries: 50_000,
  products: 20_000,
  directoryBytes: 8 * MIB,
  nameBytes: 1 * KIB,
  totalBytes: 16 * 1024 * MIB,
  entryBytes: 1024 * MIB,
  productFileBytes: 4 * MIB,
  submitterFileBytes: 64 * KIB,
  absurdProductFileBytes: 128 * MIB,
  ratio: 200,
  ratioFromBytes: 64 * MIB,
};

/**
 * Memory in bytes that a directory takes while it is read; half of it stays in use (measured: 27 MB with 50,000
 * entries in 7 MB, test/archive/hostile-archives.test.ts).
 */
export function directoryMemory({
  entries,
  directoryBytes,
}: {
  entries: number;
  directoryBytes: number;
}): number {
  return 400 * entries + 4 * directoryBytes;
}

/** The reason for refusing something by its size. Size and limit are in bytes. */
export function tooLarge(what: string, bytes: number, limit: number): string {
  return `${what} has ${bytes} bytes; at most ${limit} are accepted`;
}
