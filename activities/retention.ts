/**
 * Removes stored data after its retention period (decision §retention): packages and raw XML of imports that are over,
 * attachments that nobody needs any more, and leftovers of crashes in storage and records. Every part is idempotent and
 * continues an interrupted run. A file that cannot be removed stops neither the other files nor the other parts.
 */
import { STORAGE_FOLDERS } from '../src/archive/storage.ts';
import type { Expiry, Recorded } from '../src/database/repositories/retention.ts';
import { heartbeating } from './activity-context.ts';
import { continueOnError, grouped, rowsById } from './batching.ts';
import type { ImportDependencies } from './dependencies.ts';

const NOTHING_REMOVED = {
  /** Imports whose package and raw XML were removed. */
  packages: 0,
  /** Contents of attachments. */
  attachments: 0,
  /** Packages without an import: their gateway ended between storing them and recording them. */
  orphans: 0,
  /** Reports of dry runs. */
  checks: 0,
  /** Incomplete files. */
  leftovers: 0,
  /** Files without a record that stay, because the database does not seem to be that of the archive. */
  unknown: 0,
  idempotencyKeys: 0,
  /** Records of webhook deliveries. */
  webhookDeliveries: 0,
  /** Notes of files, and submitter files that nothing refers to. */
  notes: 0,
  /** Audit events whose person was forgotten. */
  people: 0,
  /** Recipients of the summaries of old imports. */
  addresses: 0,
};

/** Removed items, by kind, and files that stay. */
export type RetentionResult = typeof NOTHING_REMOVED;

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Age at which the summary of an import is tried no more, with a day to spare (`sendSummary` of
 * workflows/activity-proxies.ts).
 */
const SUMMARY_DAYS = 3;

const ACTOR = 'service:retention';

type Dependencies = Pick<
  ImportDependencies,
  'database' | 'storage' | 'retentionDays' | 'failedRetentionDays' | 'auditRetentionDays'
>;

export function createApplyRetention({
  database,
  storage,
  retentionDays,
  failedRetentionDays,
  auditRetentionDays,
}: Dependencies) {
  /**
   * @returns the number of removed items
   * @throws the first error, after everything else was removed
   */
  return function applyRetention(): Promise<RetentionResult> {
    const uploadedBefore = new Date(Date.now() - retentionDays * DAY_MS);
    const failedBefore = new Date(Date.now() - failedRetentionDays * DAY_MS);
    const result: RetentionResult = { ...NOTHING_REMOVED };
    const removeFiles = (keys: AsyncIterable<string>, kind: 'orphans' | 'checks') =>
      continueOnError(keys, async (key) => {
        await storage.remove(key);
        result[kind] += 1;
      });
    // A restored database may not know these packages, so they stay as long as those of failed imports.
    const orphanMs = failedRetentionDays * DAY_MS;
    const { recordedPackages } = database.retention;
    const parts = [
      () => removeExpiredPackages({ uploadedBefore, failedBefore }, result),
      () => removeUnneededAttachments(uploadedBefore, result),
      () =>
        removeFiles(unneededFiles(STORAGE_FOLDERS.packages, orphanMs, recordedPackages, result), 'orphans'),
      () => removeFiles(storage.list(STORAGE_FOLDERS.checks, DAY_MS), 'checks'),
      async () => {
        result.leftovers += await storage.sweep(DAY_MS);
      },
      async () => {
        result.idempotencyKeys = await database.idempotency.removeExpired();
      },
      async () => {
        result.webhookDeliveries = await database.webhookDeliveries.removeBefore(uploadedBefore);
      },
      () => database.notifications.giveUpBefore(new Date(Date.now() - SUMMARY_DAYS * DAY_MS)),
      () => removeNotes(uploadedBefore, result),
      () => forgetPeople(result),
    ];
    return heartbeating(async (report) => {
      report(result);
      await database.withLongStatements(() => continueOnError(parts, (part) => part()));
      return result;
    });
  };

  async function removeExpiredPackages(expiry: Expiry, result: RetentionResult): Promise<void> {
    const expired = rowsById(
      (after, limit) => database.retention.expiredImports(expiry, after, limit),
      ({ importId }) => importId,
    );
    await continueOnError(expired, async ({ importId, storageKey }) => {
      // The record changes first, so that no client is sent to a missing package. A crash here leaves an orphan.
      if (!(await database.retention.removeExpired(importId, expiry, ACTOR))) return;
      await storage.remove(storageKey);
      result.packages += 1;
    });
  }

  /** Lists the storage instead of the records: this also finds files without a record. */
  async function removeUnneededAttachments(uploadedBefore: Date, result: RetentionResult): Promise<void> {
    const isIncoming = (key: string) => key.startsWith(`${STORAGE_FOLDERS.incomingAttachments}/`);
    const recorded = async (keys: readonly string[]): Promise<Recorded> => {
      const records = await database.retention.recordedAttachments(keys, uploadedBefore);
      // They never have a record, and no import of a day ago still reads them.
      for (const key of keys.filter(isIncoming)) records.set(key, false);
      return records;
    };
    const unneeded = unneededFiles(STORAGE_FOLDERS.attachments, DAY_MS, recorded, result);
    await continueOnError(unneeded, async (key) => {
      if (await database.retention.removeAttachment(key, uploadedBefore, () => storage.remove(key)))
        result[isIncoming(key) ? 'leftovers' : 'attachments'] += 1;
    });
  }

  /**
   * Keys of a folder that have this age and are not needed. Files without a record are among them only if at least half
   * of the files listed with them have one. Otherwise the database is probably not that of the archive.
   */
  async function* unneededFiles(
    folder: string,
    ageMs: number,
    recorded: (keys: readonly string[]) => Promise<Recorded>,
    result: RetentionResult,
  ): AsyncGenerator<string> {
    for await (const keys of grouped(storage.list(folder, ageMs))) {
      const records = await recorded(keys);
      const isOurs = records.size >= keys.length / 2;
      if (!isOurs) result.unknown += keys.length - records.size;
      yield* keys.filter((key) => !(records.get(key) ?? !isOurs));
    }
  }

  async function removeNotes(uploadedBefore: Date, result: RetentionResult): Promise<void> {
    const importIds = rowsById(
      (after, limit) => database.retention.importsWithOldNotes(uploadedBefore, after, limit),
      (id) => id,
    );
    await continueOnError(importIds, async (importId) => {
      result.notes += await database.retention.removeNotes(importId);
    });
  }

  async function forgetPeople(result: RetentionResult): Promise<void> {
    if (auditRetentionDays === null) return;
    const before = new Date(Date.now() - auditRetentionDays * DAY_MS);
    Object.assign(result, await database.people.forgetBefore(before));
  }
}
