/**
 * Ownership: a record belongs to the tenant that sent it (decision §imports-have-an-owner). Operators see everything, and
 * the audit trail records what they read.
 */
import { LRUCache } from 'lru-cache';
import { PERMISSIONS } from '../contract/operations.ts';
import type { OwnerFilter } from '../database/conditions.ts';
import type { PackageImportRow } from '../database/entities/package-import.ts';
import type { Database } from '../database/index.ts';
import type { AuditEntry } from '../database/repositories/audit-trail.ts';
import { NotFound } from '../domain/client-errors.ts';
import { missingPermission } from './http-error.ts';
import type { Caller } from './tokens/access-token.ts';

export function isOperator({ permissions }: Caller): boolean {
  return permissions.has(PERMISSIONS.operate);
}

/**
 * The record, if the caller may see it.
 *
 * @throws NotFound also for another tenant's record, so that the caller does not learn that it exists
 */
export function requireOwned<T extends { tenant: string }>(
  caller: Caller,
  record: T | null,
  what: string,
  id: number,
): T {
  if (!record || (record.tenant !== caller.tenant && !isOperator(caller))) throw new NotFound(what, id);
  return record;
}

/** @throws NotFound as `requireOwned` */
export async function findImport(
  { imports }: Pick<Database, 'imports'>,
  caller: Caller,
  id: number,
): Promise<PackageImportRow> {
  return requireOwned(caller, await imports.find(id), 'Package import', id);
}

/**
 * The records that a list shows. A request for another client's records is refused: an empty list would be a wrong
 * answer. The refusal looks nothing up, so it does not reveal which clients exist.
 *
 * @param askedClient the client named by the query; undefined for everything that the caller may see
 * @throws HttpError
 */
export function listedFor(caller: Caller, askedClient?: string): OwnerFilter {
  if (isOperator(caller)) return { clientId: askedClient };
  if (askedClient !== undefined && askedClient !== caller.clientId)
    throw missingPermission(PERMISSIONS.operate);
  return { tenant: caller.tenant };
}

type AuditedRead = Pick<AuditEntry, 'action' | 'importId' | 'submissionId' | 'detail'>;

const HOUR_MS = 60 * 60_000;
/**
 * Recorded reads that a process remembers, of all callers. A forgotten read is recorded again: that is a second event.
 */
const REMEMBERED_READS = 10_000;

export type ReadAudit = ReturnType<typeof createReadAudit>;

/** @param now milliseconds of any monotonic clock, which does not begin at 0 */
export function createReadAudit(
  auditTrail: Pick<Database['auditTrail'], 'record'>,
  now: () => number = () => performance.now(),
) {
  const recorded = new LRUCache<string, Promise<void>>({
    max: REMEMBERED_READS,
    ttl: HOUR_MS,
    ttlResolution: 0,
    perf: { now },
  });

  /** Records a read of anybody, the owner too. An hour's equal reads are one audit event. */
  async function always(caller: Caller, read: AuditedRead): Promise<void> {
    const key = JSON.stringify([caller.actor, read.action, read.importId, read.submissionId, read.detail]);
    const known = recorded.get(key);
    if (known) return known;
    // Cached before it is written: concurrent requests of a page wait for the same audit event.
    const written = auditTrail.record({ actor: caller.actor, ...read });
    recorded.set(key, written);
    try {
      await written;
    } catch (error) {
      recorded.delete(key);
      throw error;
    }
  }

  return {
    /**
     * Records a read. To be called before the answer: a read that cannot be recorded is refused.
     *
     * @param owner the tenant whose records are read; null for those of several tenants
     */
    async note(caller: Caller, owner: string | null, read: AuditedRead): Promise<void> {
      if (owner !== caller.tenant && isOperator(caller)) await always(caller, read);
    },

    always,
  };
}
