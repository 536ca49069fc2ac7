/** Ends a retry whose remaining products will not run, because the retry or its import was cancelled. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { notStarted } from '../domain/queue.ts';
import { ImportRetry, RetryResult } from './entities/import-retry.ts';

/**
 * Does nothing without an open retry. Requires a transaction.
 *
 * @param reason result of the remaining products, in whole sentences
 */
export async function giveUpRetryOf(em: EntityManager, importId: number, reason: string): Promise<void> {
  const open = { packageImport: importId, endedAt: null };
  const changed = await em.nativeUpdate(ImportRetry, open, { endedAt: new Date() });
  if (changed === 0) return;
  const { status, message } = notStarted(0, reason);
  await em.nativeUpdate(RetryResult, { packageImport: importId, status: null }, { status, message });
}
