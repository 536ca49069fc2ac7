/** Transactions beside those of the service, which block it, and a check for waiting transactions. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { connect } from '../../src/database/orm.ts';
import { eventually } from './eventually.ts';
import type { Stack } from './starters/stack.ts';

/** Runs work in a transaction over its own connection. Its locks are held until the work is done. */
export async function inTransaction<T>(
  { config }: Pick<Stack, 'config'>,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  const orm = await connect(config.database.url);
  try {
    return await orm.em.fork().transactional(work);
  } finally {
    await orm.close(true);
  }
}

/** Returns when a transaction in the stack's own database waits for a held advisory lock (src/database/coordination/locks.ts). */
export async function somebodyWaitsForALock(stack: Pick<Stack, 'sql'>): Promise<void> {
  await eventually(async () => {
    const waiting = await stack.sql(
      `select pid from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and not granted and datname = current_database()`,
    );
    return waiting.length > 0;
  });
}
