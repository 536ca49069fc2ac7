/**
 * Limits that keep a hostile archive from costing memory or disk (package format §6: "refuse early,
 * counting real bytes, not declared sizes"). All generous beyond anything a genuine export holds.
 */
const KIB = 1024;
const MIB = 1024 * KIB;

export interface PackageLimits {
  entries: number;
  /** Files that stand for a product each. */
  products: number;
  /** Size of the central directory: it is kept in memory. */
  directoryBytes: number;
  /** Size of an entry's name in UTF-8: it is the key of the file's outcome, and database indexes end at 2,704 bytes. */
  nameBytes: number;
  /** Uncompressed size of all entries together. */
  totalBytes: number;
  /** Uncompressed size of one entry, whatever it is. */
  entryBytes: number;
  /** Uncompressed size of a product file; a larger one fails that file, not the package. */
  productFileBytes: number;
  /** Uncompressed size of a submitter file. */
  submitterFileBytes: number;
  /** A product file so large is no product but an attack on the reader: the package is refused. */
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
 * What a directory takes in memory while it is read, in bytes; kept is a half of it (measured: 27 MB with 50,000
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

/** The reason of whatever is refused for its size, which is given in bytes like the limit. */
export function tooLarge(what: string, bytes: number, limit: number): string {
  return `${what} is ${bytes} bytes large; at most ${limit} are accepted`;
}
