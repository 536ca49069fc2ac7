/** The audit trail as a whole. Nothing changes or removes what is in it. */
import { type AuditEntry, audit } from '../audit.ts';
import { AuditEvent, type AuditEventRow } from '../entities/audit-event.ts';
import type { Orm } from '../orm.ts';

export interface AuditFilter {
  importId?: number | undefined;
  submissionId?: number | undefined;
  actor?: string | undefined;
  /** Any of these. */
  actions?: readonly string[] | undefined;
}

/** All others have no submission, and an index that those of submissions, ten times as many, are not in. */
const isOfSubmission = (action: string) => action.startsWith('submission.');

export function createAuditTrailRepository(orm: Orm) {
  return {
    /** For what changes no record of ours, and so has no transaction of its own. */
    async record(entry: AuditEntry): Promise<void> {
      await audit(orm.em.fork(), [entry]);
    },

    /** Newest first. `before` is the id below which to go on. */
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
