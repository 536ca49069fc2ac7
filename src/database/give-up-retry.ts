/** What is still to be run again of an import is not any more: somebody has cancelled that, or the import. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { notStarted } from '../domain/queue.ts';
import { ImportRetry } from './entities/import-retry.ts';

/**
 * Does nothing where nothing is being run again. To be called in a transaction.
 *
 * @param reason in whole sentences, as the result of what is left
 */
export async function giveUpRetryOf(em: EntityManager, importId: number, reason: string): Promise<void> {
  const open = { packageImport: importId, endedAt: null };
  const changed = await em.nativeUpdate(ImportRetry, open, { endedAt: new Date() });
  if (changed === 0) return;
  const { status, message } = notStarted(0, reason);
  await em.execute(
    'update retry_result set status = ?, message = ? where zip_import_id = ? and status is null',
    [status, message, importId],
  );
}
