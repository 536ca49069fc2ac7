/**
 * Imports under an idempotency key: a client repeats a request whose answer was lost
 * (draft-ietf-httpapi-idempotency-key-header).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { lockIdempotencyKey } from '../coordination/locks.ts';
import { IdempotencyKey } from '../entities/idempotency-key.ts';
import { PackageImport, type PackageImportRow } from '../entities/package-import.ts';
import type { Orm } from '../orm.ts';
import { insertImport, type NewImport } from './imports.ts';

/** Validity of a key. */
const VALID_MS = 24 * 60 * 60 * 1000;

/** Result of a request under a key. */
export type CreatedOnce =
  | { kind: 'created'; importId: number }
  /** The same request was sent under this key before. */
  | { kind: 'repeated'; record: PackageImportRow }
  /** Another request was sent under this key before. */
  | { kind: 'conflict'; importId: number };

export function createIdempotencyRepository(orm: Orm) {
  return {
    /** Whether the client has used the key within the last day. */
    async knows(clientId: string, key: string): Promise<boolean> {
      return (await find(orm.em.fork(), clientId, key)) !== null;
    },

    /**
     * Stores the import unless its client has sent one under this key before. Concurrent requests under the key wait.
     */
    async create(values: NewImport, key: string, fingerprint: string): Promise<CreatedOnce> {
      const { clientId } = values;
      return orm.em.fork().transactional(async (em) => {
        await lockIdempotencyKey(em, clientId, key);
        const used = await find(em, clientId, key);
        if (used) {
          const importId = used.packageImport;
          if (used.fingerprint !== fingerprint) return { kind: 'conflict', importId };
          return { kind: 'repeated', record: await em.findOneOrFail(PackageImport, { id: importId }) };
        }
        const importId = await insertImport(em, values);
        await em.nativeDelete(IdempotencyKey, { clientId, key });
        await em.insert(IdempotencyKey, {
          clientId,
          key,
          fingerprint,
          packageImport: importId,
          createdAt: new Date(),
        });
        return { kind: 'created', importId };
      });
    },

    /** Removes the key of an import, so that the request can be sent again. */
    async forget(importId: number): Promise<void> {
      await orm.em.fork().nativeDelete(IdempotencyKey, { packageImport: importId });
    },

    /** Removes expired keys. Returns their number. */
    async removeExpired(): Promise<number> {
      return orm.em.fork().nativeDelete(IdempotencyKey, { createdAt: { $lt: oldestValid() } });
    },
  };
}

function find(em: EntityManager, clientId: string, key: string) {
  return em.findOne(IdempotencyKey, { clientId, key, createdAt: { $gte: oldestValid() } });
}

function oldestValid(): Date {
  return new Date(Date.now() - VALID_MS);
}

export type IdempotencyRepository = ReturnType<typeof createIdempotencyRepository>;
