/**
 * Imports under an idempotency key: a client repeats a request whose answer was lost
 * (draft-ietf-httpapi-idempotency-key-header).
 */
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { lockIdempotencyKey } from '../coordination/locks.ts';
import { IdempotencyKey, PackageImport, type PackageImportRow } from '../entities/package-import.ts';
import type { Orm } from '../orm.ts';
import { insertImport, type NewImport } from './imports.ts';

/** Validity of a key. */
const VALID_MS = 24 * 60 * 60 * 1000;

/** Result of a request under a key. */
export type CreatedOnce = { kind: 'created'; record: PackageImportRow } | Repeated;

type Repeated =
  /** The same request was sent under this key before. */
  | { kind: 'repeated'; record: PackageImportRow }
  /** Another request was sent under this key before. */
  | { kind: 'conflict'; importId: number };

export function createIdempotencyRepository(orm: Orm) {
  return {
    /** Whether the tenant has used the key within the last day. */
    async knows(tenant: string, key: string): Promise<boolean> {
      return (await find(orm.em.fork(), tenant, key)) !== null;
    },

    /** The result of a request under a known key. Null if the key has expired or was removed meanwhile. */
    async repeat(tenant: string, key: string, fingerprint: string): Promise<Repeated | null> {
      const em = orm.em.fork();
      const used = await find(em, tenant, key);
      return used && repeated(em, used, fingerprint);
    },

    /**
     * Stores the import unless the tenant has sent one under this key before. Concurrent requests under the key wait.
     *
     * @param tenant of the caller, who may create an import of another owner
     */
    async create(
      values: NewImport,
      { tenant, key }: { tenant: string; key: string },
      fingerprint: string,
    ): Promise<CreatedOnce> {
      return orm.em.fork().transactional(async (em) => {
        await lockIdempotencyKey(em, tenant, key);
        const used = await find(em, tenant, key);
        if (used) return repeated(em, used, fingerprint);
        const record = await insertImport(em, values);
        await em.nativeDelete(IdempotencyKey, { tenant, key });
        await em.insert(IdempotencyKey, {
          tenant,
          key,
          fingerprint,
          packageImport: record.id,
          createdAt: new Date(),
        });
        return { kind: 'created', record };
      });
    },

    /** Removes the key of an import, so that the request can be sent again. */
    forget: (importId: number) => orm.em.fork().nativeDelete(IdempotencyKey, { packageImport: importId }),

    /** Removes expired keys. Returns their number. */
    removeExpired: () => orm.em.fork().nativeDelete(IdempotencyKey, { createdAt: { $lt: oldestValid() } }),
  };
}

async function repeated(
  em: EntityManager,
  { packageImport: importId, fingerprint: first }: InferEntity<typeof IdempotencyKey>,
  fingerprint: string,
): Promise<Repeated> {
  if (first !== fingerprint) return { kind: 'conflict', importId };
  return { kind: 'repeated', record: await em.findOneOrFail(PackageImport, { id: importId }) };
}

function find(em: EntityManager, tenant: string, key: string) {
  return em.findOne(IdempotencyKey, { tenant, key, createdAt: { $gte: oldestValid() } });
}

function oldestValid(): Date {
  return new Date(Date.now() - VALID_MS);
}

export type IdempotencyRepository = ReturnType<typeof createIdempotencyRepository>;
