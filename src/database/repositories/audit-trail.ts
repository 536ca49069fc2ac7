/** Reading the audit trail. Nothing changes or removes what is in it. */
import { AuditEvent, type AuditEventRow } from '../entities/audit-event.ts';
import type { Orm } from '../orm.ts';

export interface AuditFilter {
  importId?: number | undefined;
  submissionId?: number | undefined;
  actor?: string | undefined;
  action?: string | undefined;
}

export function createAuditTrailRepository(orm: Orm) {
  return {
    /** Newest first. `before` is the id below which to go on. */
    async list(
      filter: AuditFilter,
      page: { limit: number; before?: number | undefined },
    ): Promise<AuditEventRow[]> {
      const given = Object.entries(filter).filter(([, value]) => value !== undefined);
      const where = {
        ...Object.fromEntries(given),
        ...(page.before !== undefined && { id: { $lt: page.before } }),
      };
      return orm.em.fork().find(AuditEvent, where, { orderBy: { id: 'desc' }, limit: page.limit });
    },
  };
}
