/** The whole audit trail. Its entries are never changed or removed. */
import { type AuditEntry, audit } from '../audit.ts';
import { AuditEvent, type AuditEventRow } from '../entities/audit-event.ts';
import type { Orm } from '../orm.ts';

export interface AuditFilter {
  importId?: number | undefined;
  submissionId?: number | undefined;
  actor?: string | undefined;
  /** Entries with any of these actions. */
  actions?: readonly string[] | undefined;
}

/**
 * Entries of other actions have no submission. Their index leaves out the entries of submissions, which are ten times
 * as many.
 */
const isOfSubmission = (action: string) => action.startsWith('submission.');

export function createAuditTrailRepository(orm: Orm) {
  return {
    /** Records an action that changes no record of ours, and so has no transaction. */
    async record(entry: AuditEntry): Promise<void> {
      await audit(orm.em.fork(), [entry]);
    },

    /** Entries, newest first, with ids below `before`. */
    async list(
      { actions, ...others }: AuditFilter,
      page: { limit: number; before?: number | undefined },
    ): Promise<AuditEventRow[]> {
      const given = Object.entries(others).filter(([, value]) => value !== undefined);
      const where = {
        ...Object.fromEntries(given),
        ...(actions !== undefined && { action: { $in: [...actions] } }),
        ...(actions !== undefined && !actions.some(isOfSubmission) && { submissionId: null }),
        ...(page.before !== undefined && { id: { $lt: page.before } }),
      };
      return orm.em.fork().find(AuditEvent, where, { orderBy: { id: 'desc' }, limit: page.limit });
    },
  };
}
