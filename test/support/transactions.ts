/** Transactions beside those of the service: to be in its way, and to see who waits for whom. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { connect } from '../../src/database/orm.ts';
import { eventually } from './eventually.ts';
import type { TestStack } from './services/in-process-stack.ts';

/** Works in a transaction over a connection of its own: what it locks is locked until the work is done. */
export async function inTransaction<T>(
  { config }: Pick<TestStack, 'config'>,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  const orm = await connect(config.database.url);
  try {
    return await orm.em.fork().transactional(work);
  } finally {
    await orm.close(true);
  }
}

/** Returns when a transaction of the stack's own database waits for an advisory lock (src/database/locks.ts) that another one has. */
export async function somebodyWaitsForALock(stack: Pick<TestStack, 'sql'>): Promise<void> {
  await eventually(async () => {
    const waiting = await stack.sql(
      `select pid from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and not granted and datname = current_database()`,
    );
    return waiting.length > 0;
  });
}
