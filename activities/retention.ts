/**
 * Removes stored data after its retention period (decision §retention): packages and raw XML of imports that are
 * over, attachments that nobody needs any more, and leftovers of crashes in the storage. Every part is idempotent and
 * continues an interrupted run. A file that cannot be removed stops neither the other files nor the other parts.
 */
import { Context } from '@temporalio/activity';
import { STORAGE_FOLDERS } from '../src/archive/storage.ts';
import type { Expiry } from '../src/database/repositories/retention.ts';
import { heartbeating } from './activity-context.ts';
import type { ImportDependencies } from './dependencies.ts';
import { grouped, rowsById } from './pages.ts';

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

/** Removed items, by kind. */
export type RetentionResult = typeof NOTHING_REMOVED;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Errors after which a part of the work ends. */
const MOST_ERRORS = 20;

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
    const parts = [
      () => removeExpiredPackages({ uploadedBefore, failedBefore }, result),
      () => removeUnneededAttachments(uploadedBefore, result),
      () => removeOrphans(result),
      () => removeChecks(result),
      async () => {
        result.leftovers += await storage.sweep(DAY_MS);
      },
      async () => {
        result.idempotencyKeys = await database.idempotency.removeExpired();
      },
      async () => {
        result.webhookDeliveries = await database.webhookDeliveries.removeBefore(uploadedBefore);
      },
      () => removeNotes(uploadedBefore, result),
      () => forgetPeople(result),
    ];
    return heartbeating(async (report) => {
      report(result);
      await each(parts, (part) => part());
      return result;
    });
  };

  async function removeExpiredPackages(expiry: Expiry, result: RetentionResult): Promise<void> {
    const expired = rowsById(
      (after, limit) => database.retention.expiredImports(expiry, after, limit),
      ({ importId }) => importId,
    );
    await each(expired, async ({ importId, storageKey }) => {
      // The record changes first, so that no client is sent to a missing package. A crash here leaves an orphan.
      if (!(await database.retention.removeExpired(importId, expiry, ACTOR))) return;
      await storage.remove(storageKey);
      result.packages += 1;
    });
  }

  /** Lists the storage instead of the records: this also finds files without a record. */
  async function removeUnneededAttachments(uploadedBefore: Date, result: RetentionResult): Promise<void> {
    const needed = (keys: readonly string[]) => database.retention.neededAttachments(keys, uploadedBefore);
    await each(unused(STORAGE_FOLDERS.attachments, needed), async (key) => {
      const isIncoming = key.startsWith(`${STORAGE_FOLDERS.incomingAttachments}/`);
      if (await database.retention.removeAttachment(key, uploadedBefore, () => storage.remove(key)))
        result[isIncoming ? 'leftovers' : 'attachments'] += 1;
    });
  }

  async function removeOrphans(result: RetentionResult): Promise<void> {
    await each(unused(STORAGE_FOLDERS.packages, database.retention.keptPackages), async (key) => {
      await storage.remove(key);
      result.orphans += 1;
    });
  }

  async function removeChecks(result: RetentionResult): Promise<void> {
    await each(storage.list(STORAGE_FOLDERS.checks, DAY_MS), async (key) => {
      await storage.remove(key);
      result.checks += 1;
    });
  }

  /** Keys of a folder that are a day old and not in use. */
  async function* unused(
    folder: string,
    used: (keys: readonly string[]) => Promise<Set<string>>,
  ): AsyncGenerator<string> {
    for await (const keys of grouped(storage.list(folder, DAY_MS))) {
      const kept = await used(keys);
      yield* keys.filter((key) => !kept.has(key));
    }
  }

  async function removeNotes(uploadedBefore: Date, result: RetentionResult): Promise<void> {
    const importIds = rowsById(
      (after, limit) => database.retention.importsWithOldNotes(uploadedBefore, after, limit),
      (id) => id,
    );
    await each(importIds, async (importId) => {
      result.notes += await database.retention.removeNotes(importId);
    });
  }

  async function forgetPeople(result: RetentionResult): Promise<void> {
    if (auditRetentionDays === null) return;
    const before = new Date(Date.now() - auditRetentionDays * DAY_MS);
    Object.assign(result, await database.people.forgetBefore(before));
  }
}

/**
 * Works on every item, also after errors. Many errors mean that the storage or the database is unavailable: the rest waits for
 * the next try.
 *
 * @throws the first error, at the end
 */
async function each<T>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const { cancellationSignal } = Context.current();
  const errors: unknown[] = [];
  for await (const item of items) {
    cancellationSignal.throwIfAborted();
    await work(item).catch((error: unknown) => errors.push(error));
    if (errors.length === MOST_ERRORS) break;
  }
  cancellationSignal.throwIfAborted();
  if (errors.length > 0) throw errors[0];
}
