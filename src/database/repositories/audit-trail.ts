/** The audit trail. Its entries are never removed, and change only where a person is forgotten (decision §retention). */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { isPerson } from '../../domain/actors.ts';
import type { Json } from '../../domain/product.ts';
import { AuditEvent, type AuditEventRow } from '../entities/audit-event.ts';
import { insertRows } from '../insert-rows.ts';
import type { Orm } from '../orm.ts';

export interface AuditEntry {
  /** See src/domain/actors.ts. */
  actor: string;
  action: string;
  importId?: number | null;
  submissionId?: number | null;
  detail?: Json;
}

/** Requires the transaction of the recorded change. */
export async function audit(em: EntityManager, entries: AuditEntry[]): Promise<void> {
  const rows = entries.map(({ actor, action, importId, submissionId, detail }) => ({
    actor,
    action,
    importId: importId ?? null,
    submissionId: submissionId ?? null,
    detail: detail ?? null,
  }));
  await insertRows(em, AuditEvent, rows);
}

/**
 * Changes rows in a transaction, with an audit entry if any row has changed. Returns whether one has.
 *
 * @param change returns the number of changed rows
 */
export async function changeAudited(
  orm: Orm,
  change: (em: EntityManager) => Promise<number>,
  entry: AuditEntry,
): Promise<boolean> {
  return orm.em.fork().transactional(async (em) => {
    const changed = await change(em);
    if (changed > 0) await audit(em, [entry]);
    return changed > 0;
  });
}

export interface AuditFilter {
  importId?: number | undefined;
  submissionId?: number | undefined;
  /** As recorded. A person may be named without the name: people change it. */
  actor?: string | undefined;
  /** Entries with any of these actions. */
  actions?: readonly string[] | undefined;
}

/**
 * Entries of other actions have no submission. Their index leaves out the entries of submissions, which are ten times
 * as many.
 */
const isOfSubmission = (action: string) => action.startsWith('submission.');

/** Condition on the actor: for `person:<sub>`, with any name. */
function isActor(actor: string) {
  if (!isPerson(actor) || actor.includes(' ')) return { actor };
  return { $or: [{ actor }, { actor: { $like: `${actor.replace(/[\\%_]/g, '\\$&')} (%` } }] };
}

export function createAuditTrailRepository(orm: Orm) {
  return {
    /** Records an action that changes no record of ours, and so has no transaction. */
    async record(entry: AuditEntry): Promise<void> {
      await audit(orm.em.fork(), [entry]);
    },

    /** Whether the role of this process may act as the owner of the table, and so could change entries. */
    async isOwned(): Promise<boolean> {
      const { rows } = await sql<{ is_owned: boolean }>`
        select pg_has_role(relowner, 'usage') as is_owned from pg_class where oid = 'audit_event'::regclass
      `.execute(orm.em.fork().getKysely());
      return rows[0]?.is_owned ?? false;
    },

    /** Entries, newest first, with ids below `before`. */
    async list(
      { actions, actor, ...others }: AuditFilter,
      page: { limit: number; before?: number | undefined },
    ): Promise<AuditEventRow[]> {
      const given = Object.entries(others).filter(([, value]) => value !== undefined);
      const where = {
        ...Object.fromEntries(given),
        ...(actor !== undefined && isActor(actor)),
        ...(actions !== undefined && { action: { $in: [...actions] } }),
        ...(actions !== undefined && !actions.some(isOfSubmission) && { submissionId: null }),
        ...(page.before !== undefined && { id: { $lt: page.before } }),
      };
      return orm.em.fork().find(AuditEvent, where, { orderBy: { id: 'desc' }, limit: page.limit });
    },
  };
}
