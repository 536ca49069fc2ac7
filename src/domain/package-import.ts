/** A package import: the record of one uploaded ZIP (table `zip_import`). */

/**
 * Where an import is. `extracting` until every product has its queue result, `inserting` until every
 * insert has ended and the summary is out, then `completed`. `failed` when the package could not be read.
 */
export const IMPORT_STATUSES = ['extracting', 'inserting', 'completed', 'failed', 'cancelled'] as const;

export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** One mebibyte: the interface's "MB" (architecture §what-an-upload-is). */
export const BYTES_PER_MB = 1024 * 1024;

/** `size_mb`: a decimal string with two fraction digits (interface §2.4). */
export function sizeInMb(bytes: number): string {
  return (bytes / BYTES_PER_MB).toFixed(2);
}

/** Counters of an import. `extracted` is always `created + skipped + failed` (architecture §one-outcome-per-file). */
export interface ImportCounts {
  created: number;
  skipped: number;
  failed: number;
  queued: number;
  queueFailed: number;
}

/**
 * Products queued under one parent workflow. A larger import is split into batches of this many, so that
 * histories stay far from Temporal's limits (architecture §batches).
 */
export const BATCH_SIZE = 200;

/** Imports among which texts and failures are looked for at a time (architecture §searches-are-bounded). */
export const LOOKED_AT = 10_000;

/** Characters of a comment in which a text is looked for: clients decide how long it is. */
export const COMMENT_LOOKED_AT = 1_000;
