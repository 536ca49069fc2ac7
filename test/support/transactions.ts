/** Transactions beside those of the service, which block it, and a check for waiting transactions. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
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

const BEGINNINGS = 'beginnings of inserts';

/**
 * Runs work while the statement that begins an insert (src/database/repositories/insert-runs.ts) waits. It waits after it
 * has taken its snapshot of the database, and before it locks a row.
 */
export async function whileNoInsertBegins<T>(
  stack: Pick<Stack, 'config' | 'sql'>,
  work: () => Promise<T>,
): Promise<T> {
  await stack.sql(`
    create function wait_to_begin() returns trigger language plpgsql as $$ begin
      if current_query() like '%status_before%' then perform pg_advisory_xact_lock(hashtext('${BEGINNINGS}')); end if;
      return null;
    end $$;
    create trigger wait_to_begin before update on submission for each statement execute function wait_to_begin()`);
  try {
    return await inTransaction(stack, async (em) => {
      await sql`select pg_advisory_xact_lock(hashtext(${BEGINNINGS}))`.execute(em.getKysely());
      return work();
    });
  } finally {
    await stack.sql('drop trigger wait_to_begin on submission; drop function wait_to_begin()');
  }
}

/**
 * Returns when a transaction in the stack's own database waits for a held advisory lock
 * (src/database/coordination/locks.ts).
 */
export async function somebodyWaitsForALock(stack: Pick<Stack, 'sql'>): Promise<void> {
  await eventually(async () => {
    const waiting = await stack.sql(
      `select pid from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and not granted and datname = current_database()`,
    );
    return waiting.length > 0;
  });
}
