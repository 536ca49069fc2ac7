/**
 * All advisory locks of the database. The key of a named lock is the hash of its name. Two locks have fixed numbers. A
 * hash collision causes a wait and nothing else. Never change a key. During an upgrade a changed key does not exclude
 * processes with the old one.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { statements } from '../statements.ts';

/** Key of the lock under which the session is renewed. */
const SESSION = 0x5e5510;
/** Key of the lock under which the schema is migrated. */
const MIGRATIONS = 0x5e5511;

/** Blocks other requests of the tenant under the same key until the transaction ends. */
export async function lockIdempotencyKey(em: EntityManager, tenant: string, key: string): Promise<void> {
  await lock(em, `idempotency:${JSON.stringify([tenant, key])}`);
}

/** Blocks queries for whether the import was stored until the transaction ends. */
export async function lockNewImport(em: EntityManager, uuid: string): Promise<void> {
  await lock(em, `import:${uuid}`);
}

/** Blocks storing and removing the content, which all imports share, until the transaction ends. */
export async function lockContent(em: EntityManager, storageKey: string): Promise<void> {
  await lock(em, `content:${storageKey}`, mayBeIdle('1h'));
}

/**
 * Blocks other renewals of the session until the transaction ends. Returns false at once if another process renews: a
 * wait would hold a connection that the renewal may need.
 */
export function tryLockSession(em: EntityManager): Promise<boolean> {
  return tryLock(em, SESSION, mayBeIdle('5min'));
}

/**
 * Blocks other migrations until the transaction ends, however long it is idle meanwhile. Returns false at once if another
 * process migrates: `create index concurrently` would wait for the snapshot of a waiting statement.
 */
export function tryLockMigrations(em: EntityManager): Promise<boolean> {
  return tryLock(em, MIGRATIONS, mayBeIdle('0'));
}

/** Whether a process renews the session. */
export async function isSessionLocked(em: EntityManager): Promise<boolean> {
  const row = await statements(em).row<{ free: boolean }>`
    select pg_try_advisory_xact_lock_shared(${SESSION}) as free
  `;
  return row?.free === false;
}

async function tryLock(em: EntityManager, key: number, setting: Setting): Promise<boolean> {
  const row = await statements(em).row<{ locked: boolean }>`
    select ${setting} pg_try_advisory_xact_lock(${key}) as locked
  `;
  return row?.locked === true;
}

async function lock(em: EntityManager, name: string, setting: Setting = sql``): Promise<void> {
  await statements(em).run`
    select ${setting} pg_advisory_xact_lock(hashtextextended(${name}, 0))
  `;
}

type Setting = RawBuilder<unknown>;

/**
 * Lets the transaction be idle while it calls the storage or the regulator, whatever limit its role has
 * (deploy/database-roles.sql). A process that is frozen keeps the lock no longer.
 *
 * @param longest interval as PostgreSQL reads it; 0 for any time
 */
function mayBeIdle(longest: string): Setting {
  return sql`set_config('idle_in_transaction_session_timeout', ${longest}, true),`;
}
