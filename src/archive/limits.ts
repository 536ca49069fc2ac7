/**
 * Limits on the memory and disk that a hostile archive can use (package format §6: "refuse early,
 * counting real bytes, not declared sizes"). All are far above any genuine export.
 */
const KIB = 1024;
const MIB = 1024 * KIB;

export const PACKAGE_LIMITS = {
  entries: 50_000,
  /** Number of product files. */
  products: 20_000,
  /** Size of the central directory, which is kept in memory. */
  directoryBytes: 8 * MIB,
  /**
   * Size of an entry's name in UTF-8. The name is the key of the file's outcome, and database indexes end at 2,704
   * bytes.
   */
  nameBytes: 1 * KIB,
  /** Uncompressed size of all entries together. */
  totalBytes: 16 * 1024 * MIB,
  /** Uncompressed size of one entry of any kind. */
  entryBytes: 1024 * MIB,
  /** Uncompressed size of a product file; a larger one fails that file, not the package. */
  productFileBytes: 4 * MIB,
  /** Uncompressed size of a submitter file. */
  submitterFileBytes: 64 * KIB,
  /** Size of a product file that is an attack on the reader and no product: the package is refused. */
  absurdProductFileBytes: 128 * MIB,
  /** Uncompressed : compressed, for an entry or a whole archive of more than `ratioFromBytes`. */
  ratio: 200,
  ratioFromBytes: 64 * MIB,
} as const;

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
