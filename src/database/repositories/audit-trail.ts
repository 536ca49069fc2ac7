/** The audit trail. Its entries are never removed, and change only where a person is forgotten (decision §retention). */
import type { EntityManager } from '@mikro-orm/postgresql';
import { AUDIT_SCAN_LIMIT } from '../../contract/limits.ts';
import { isPerson } from '../../domain/actors.ts';
import type { Json } from '../../domain/product.ts';
import { given } from '../conditions.ts';
import { AuditEvent, type AuditEventRow } from '../entities/audit-event.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';

export interface AuditEntry {
  /** See src/domain/actors.ts. */
  actor: string;
  action: string;
  importId?: number | null;
  submissionId?: number | null;
  detail?: Json;
}

/** Requires the transaction of the recorded change. */
export async function audit(em: EntityManager, entry: AuditEntry): Promise<void> {
  await em.insert(AuditEvent, entry);
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
    if (changed > 0) await audit(em, entry);
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

export interface AuditPage {
  events: AuditEventRow[];
  /** `before` of the next page; null on the last one. */
  nextBefore: number | null;
}

/** Whether an index serves the filter. Actors, and actions of submissions, have none. */
function hasIndex({ importId, submissionId, actor, actions }: AuditFilter): boolean {
  if (importId !== undefined || submissionId !== undefined) return true;
  return actions === undefined ? actor === undefined : !actions.some(isOfSubmission);
}

/** Returns the id of the oldest entry that a request looks at. Ids have few gaps. */
async function lastOf(em: EntityManager, scanLimit: number, before: number | undefined): Promise<number> {
  const [newest] =
    before === undefined ? await em.find(AuditEvent, {}, { orderBy: { id: 'desc' }, limit: 1 }) : [];
  return Math.max(0, (before ?? (newest?.id ?? 0) + 1) - scanLimit);
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
    record: (entry: AuditEntry) => audit(orm.em.fork(), entry),

    /** Whether the role of this process may act as the owner of the table, and so could change entries. */
    async isOwned(): Promise<boolean> {
      const row = await statements(orm.em.fork()).row<{ isOwned: boolean }>`
        select pg_has_role(relowner, 'usage') as is_owned from pg_class where oid = 'audit_event'::regclass
      `;
      return row?.isOwned ?? false;
    },

    /**
     * Returns entries with ids below `before`, newest first. If no index serves the filter, a page may be short or empty.
     * `nextBefore` is the start of the next page.
     */
    async list(
      filter: AuditFilter,
      {
        limit,
        before,
        scanLimit = AUDIT_SCAN_LIMIT,
      }: { limit: number; before?: number | undefined; scanLimit?: number },
    ): Promise<AuditPage> {
      const { actions, actor, ...others } = filter;
      const em = orm.em.fork();
      const lastScanned = hasIndex(filter) ? 0 : await lastOf(em, scanLimit, before);
      const where = {
        ...(actions !== undefined && { action: { $in: [...actions] } }),
        // An index has the events without a submission. A requested submission has none of these.
        ...(actions !== undefined && !actions.some(isOfSubmission) && { submissionId: null }),
        ...given(others),
        ...(actor !== undefined && isActor(actor)),
        id: { $gte: lastScanned, ...(before !== undefined && { $lt: before }) },
      };
      const rows = await em.find(AuditEvent, where, { orderBy: { id: 'desc' }, limit: limit + 1 });
      const events = rows.slice(0, limit);
      if (rows.length > limit) return { events, nextBefore: events.at(-1)?.id ?? null };
      return { events, nextBefore: lastScanned > 1 ? lastScanned : null };
    },
  };
}
