/**
 * Every advisory lock of the database. A lock that has something to name has the 64-bit hash of that name as its key
 * (`hashtextextended`), with what kind of thing it is in front; one has a fixed number. A hash that happens to be another
 * key costs a wait and nothing else.
 *
 * Old and new processes run side by side during an upgrade, and a key that changes protects nothing between them:
 * whoever changes one says here why that is harmless.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { query } from './query.ts';

/** The key of a lock by name. The name is a parameter, or an expression in SQL. */
const keyOf = (name: string) => `hashtextextended(${name}, 0)`;

/** Key of the lock under which the session is renewed. */
const SESSION = 0x5e5510;

/** Until the transaction ends, requests of this client under this key wait. */
export async function lockIdempotencyKey(em: EntityManager, clientId: string, key: string): Promise<void> {
  await lock(em, `idempotency:${JSON.stringify([clientId, key])}`);
}

/** Until the transaction ends, whoever asks whether this import was stored waits. */
export async function lockNewImport(em: EntityManager, uuid: string): Promise<void> {
  await lock(em, `import:${uuid}`);
}

/** Until the transaction ends, nobody else stores or removes this content: it is one for all imports. */
export async function lockContent(em: EntityManager, storageKey: string): Promise<void> {
  await lock(em, `content:${storageKey}`);
}

/**
 * Runs of one product begin one after the other: until the transaction ends, no other does.
 *
 * The key was a 32-bit hash (`hashtext`) once. Where one of two that begin at the same time has the old key, neither
 * sees what the other writes, and the outcome is that of the older submission beginning first. Nothing is sent twice
 * for it: Temporal has one run per product, and the row of the submission is locked besides.
 */
export async function lockProductOf(em: EntityManager, submissionId: number): Promise<void> {
  await query(
    em,
    `select pg_advisory_xact_lock(${keyOf(`'product:' || product_id`)}) from submission where id = $1`,
    [submissionId],
  );
}

/**
 * Until the transaction ends, nobody else renews the session. False where somebody does: without waiting, because
 * whoever waited would keep a connection that the one at work may need.
 */
export async function tryLockSession(em: EntityManager): Promise<boolean> {
  const [row] = await em.execute<{ locked: boolean }[]>('select pg_try_advisory_xact_lock(?) as locked', [
    SESSION,
  ]);
  return row?.locked === true;
}

/** Whether somebody renews the session. */
export async function isSessionLocked(em: EntityManager): Promise<boolean> {
  const [row] = await em.execute<{ free: boolean }[]>('select pg_try_advisory_xact_lock_shared(?) as free', [
    SESSION,
  ]);
  return row?.free === false;
}

async function lock(em: EntityManager, name: string): Promise<void> {
  await em.execute(`select pg_advisory_xact_lock(${keyOf('?')})`, [name]);
}
