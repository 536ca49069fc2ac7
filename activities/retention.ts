/**
 * Removes stored data after its retention period (decision §retention): packages and raw XML of imports that are
 * over, attachments that nobody needs any more, and leftovers of crashes in the storage. Every part is idempotent and
 * continues an interrupted run.
 */
import { Context } from '@temporalio/activity';
import { STORAGE_FOLDERS } from '../src/archive/storage.ts';
import type { Expiry } from '../src/database/repositories/retention.ts';
import { heartbeating } from './activity-context.ts';
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
/** Imports or keys per query. */
const PAGE = 500;

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
  return function applyRetention(): Promise<RetentionResult> {
    const uploadedBefore = new Date(Date.now() - retentionDays * DAY_MS);
    const failedBefore = new Date(Date.now() - failedRetentionDays * DAY_MS);
    const result: RetentionResult = { ...NOTHING_REMOVED };
    return heartbeating(async (report) => {
      report(result);
      await removeExpiredPackages({ uploadedBefore, failedBefore }, result);
      await removeUnneededAttachments(uploadedBefore, result);
      await removeOrphans(result);
      for await (const key of storage.list(STORAGE_FOLDERS.checks, DAY_MS)) {
        await remove(key);
        result.checks += 1;
      }
      result.leftovers += await storage.sweep(DAY_MS);
      result.idempotencyKeys = await database.idempotency.removeExpired();
      result.webhookDeliveries = await database.webhookDeliveries.removeBefore(uploadedBefore);
      await removeNotes(uploadedBefore, result);
      if (auditRetentionDays !== null) {
        const before = new Date(Date.now() - auditRetentionDays * DAY_MS);
        Object.assign(result, await database.people.forgetBefore(before));
      }
      return result;
    });
  };

  async function removeExpiredPackages(expiry: Expiry, result: RetentionResult): Promise<void> {
    for (let after = 0; ; ) {
      const expired = await database.retention.expiredImports(expiry, after, PAGE);
      for (const { importId, storageKey } of expired) {
        // The record changes first, so that no client is sent to a missing package. A crash here leaves an orphan.
        if (!(await database.retention.removeExpired(importId, expiry, ACTOR))) continue;
        await remove(storageKey);
        result.packages += 1;
      }
      if (expired.length < PAGE) return;
      after = expired.at(-1)?.importId ?? 0;
    }
  }

  async function removeNotes(uploadedBefore: Date, result: RetentionResult): Promise<void> {
    for (let after = 0; ; ) {
      const importIds = await database.retention.importsWithOldNotes(uploadedBefore, after, PAGE);
      for (const importId of importIds) {
        Context.current().cancellationSignal.throwIfAborted();
        result.notes += await database.retention.removeNotes(importId);
      }
      if (importIds.length < PAGE) return;
      after = importIds.at(-1) ?? 0;
    }
  }

  /** Lists the storage instead of the records: this also finds files without a record. */
  async function removeUnneededAttachments(uploadedBefore: Date, result: RetentionResult): Promise<void> {
    for await (const keys of pages(storage.list(STORAGE_FOLDERS.attachments, DAY_MS))) {
      const needed = await database.retention.neededAttachments(keys, uploadedBefore);
      for (const key of keys.filter((one) => !needed.has(one))) {
        const isIncoming = key.startsWith(`${STORAGE_FOLDERS.incomingAttachments}/`);
        if (await database.retention.removeAttachment(key, uploadedBefore, () => remove(key)))
          result[isIncoming ? 'leftovers' : 'attachments'] += 1;
      }
    }
  }

  async function removeOrphans(result: RetentionResult): Promise<void> {
    for await (const keys of pages(storage.list(STORAGE_FOLDERS.packages, DAY_MS))) {
      const kept = await database.retention.keptPackages(keys);
      for (const key of keys.filter((one) => !kept.has(one))) {
        await remove(key);
        result.orphans += 1;
      }
    }
  }

  async function remove(key: string): Promise<void> {
    Context.current().cancellationSignal.throwIfAborted();
    await storage.remove(key);
  }
}

async function* pages(keys: AsyncIterable<string>): AsyncGenerator<string[]> {
  let page: string[] = [];
  for await (const key of keys) {
    page.push(key);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
