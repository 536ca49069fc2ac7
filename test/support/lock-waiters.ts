/** The advisory locks of the service (src/database/locks.ts), seen from outside. */
import { eventually } from './eventually.ts';
import type { TestStack } from './services/in-process-stack.ts';

/** Returns when a transaction of the stack's own database waits for a lock that another one has. */
export async function somebodyWaitsForALock(stack: Pick<TestStack, 'sql'>): Promise<void> {
  await eventually(async () => {
    const waiting = await stack.sql(
      `select pid from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and not granted and datname = current_database()`,
    );
    return waiting.length > 0;
  });
}
