/** Migrates the schema, and checks or awaits its migrations. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../common/text.ts';
import { tryLockMigrations } from './coordination/locks.ts';
import { connect, type Orm } from './orm.ts';
import { statements } from './statements.ts';

const EVERY_MS = 2_000;

/**
 * Resolves when the database has every migration of this code: a container waits so before its main process starts. It
 * also waits, without end, for a database that is unreachable: the orchestrator ends the process. Changes nothing.
 *
 * @param tell gets the reason for the wait, whenever it changes
 */
export async function awaitMigrated(
  url: string,
  tell: (reason: string) => void,
  everyMs = EVERY_MS,
): Promise<void> {
  let lastReason: string | null = null;
  for (;;) {
    const reason = await reasonToWait(url).catch(messageOf);
    if (reason === null) return;
    if (reason !== lastReason) tell(reason);
    lastReason = reason;
    await sleep(everyMs);
  }
}

/** Opens a connection per check and keeps none between checks. */
async function reasonToWait(url: string): Promise<string | null> {
  const orm = await connect(url, { poolSize: 1 });
  try {
    return await staleReason(orm);
  } finally {
    await orm.close(true);
  }
}

/** PostgreSQL's duplicate_database, and unique_violation if another process creates it at the same moment. */
const DATABASE_EXISTS = ['42P04', '23505'];

/** Creates the database unless it exists. After a failure, the connection is to another database. */
async function ensureDatabase(url: string): Promise<void> {
  const orm = await connect(url, { queryMs: null });
  try {
    await orm.schema.ensureDatabase();
  } catch (error) {
    if (!DATABASE_EXISTS.includes((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await orm.close(true);
  }
}

/**
 * Migrates the schema, one process at a time. Creates a missing database. Returns the names of the executed migrations:
 * none if another process has executed them meanwhile.
 */
export async function migrate(url: string): Promise<string[]> {
  await ensureDatabase(url);
  const orm = await connect(url, { queryMs: null });
  try {
    for (;;) {
      const run = await orm.em
        .fork()
        .transactional(async (em) => ((await tryLockMigrations(em)) ? orm.migrator.up() : null));
      if (run) return run.map(({ name }) => name);
      await sleep(EVERY_MS);
    }
  } finally {
    await orm.close(true);
  }
}

/** @throws when migrations are pending, or the database cannot be reached */
export async function refuseStaleSchema(orm: Orm): Promise<void> {
  const reason = await staleReason(orm).catch((error: unknown) => {
    // Such as "certificate has expired".
    throw new Error(`DATABASE_URL: ${messageOf(error)}`, { cause: error });
  });
  if (reason === null) return;
  throw new Error(`The database schema is out of date: ${reason}. Run "npm run migrate" first.`);
}

/** Why the schema is stale; null if it has every migration of this code. Changes nothing. */
async function staleReason(orm: Orm): Promise<string | null> {
  // First, because the migrator creates a missing database or table.
  const row = await statements(orm.em.fork()).row<{ name: string | null }>`
    select to_regclass('mikro_orm_migrations')::text as name
  `;
  if (!row?.name) return 'no migration has run yet';
  const pending = await orm.migrator.getPending();
  return pending.length === 0 ? null : `migrations pending: ${pending.map(({ name }) => name).join(', ')}`;
}
