/** A package import: the record of one uploaded ZIP (table `zip_import`). */
import { BYTES_PER_MB } from '../contract/limits.ts';
import type { NotificationStatus } from '../contract/statuses.ts';
import type { StatusCounts } from './submission.ts';

/** `size_mb`: a decimal string with two fraction digits (interface §2.4). */
export function sizeInMb(bytes: number): string {
  return (bytes / BYTES_PER_MB).toFixed(2);
}

/** Counters of an import. `extracted` is always `created + skipped + failed` (decision §one-outcome-per-file). */
export interface ImportCounts {
  created: number;
  skipped: number;
  failed: number;
  queued: number;
  queueFailed: number;
  inserted: number;
  insertFailed: number;
}

/**
 * The counters, from counts of one moment.
 *
 * @param submissions by status, and by the result of queuing
 * @param files that became no submission
 */
export function importCounts(
  { progress, queued, refused }: { progress: StatusCounts; queued: number; refused: number },
  { failed, skipped }: { failed: number; skipped: number },
): ImportCounts {
  const created = Object.values(progress).reduce((sum, count) => sum + count, 0);
  const { regulator_inserted: inserted, regulator_insert_failed: insertFailed } = progress;
  return { created, skipped, failed, queued, queueFailed: refused, inserted, insertFailed };
}

/**
 * Products queued under one parent workflow. A larger import is split into batches of this many, so that
 * histories stay far from Temporal's limits (decision §batches).
 */
export const BATCH_SIZE = 200;

/** One ended import, as the daily digest shows it. */
export interface ImportOfDay {
  importId: number;
  fileName: string;
  /** `completed`, `failed` or `cancelled`. */
  status: string;
  inserted: number;
  /** Products that were not inserted. */
  notInserted: number;
  refusedFiles: number;
}

/**
 * Status of the summary e-mail (interface §3.2). `sent` is final; `error` is not: the next attempt moves it to `sending`
 * again.
 */
export const NOTIFICATION_TRANSITIONS: Readonly<Record<NotificationStatus, readonly NotificationStatus[]>> = {
  pending: ['sending', 'error'],
  sending: ['sending', 'sent', 'error'],
  sent: [],
  error: ['sending'],
};
