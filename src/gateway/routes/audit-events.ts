/** Lists the audit trail, for operators. */
import { type AuditEvent, getAuditEvents } from '../../contract/schemas/operators.ts';
import type { AuditEventRow } from '../../database/entities/audit-event.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { pageOf } from '../links.ts';
import { defineRoute } from '../route.ts';

export function auditEventRoutes({ database }: GatewayDependencies) {
  return [
    defineRoute({
      ...getAuditEvents,
      async handle({ query: { limit, before, import_id, submission_id, actor, action } }) {
        const filter = { importId: import_id, submissionId: submission_id, actor, actions: action };
        const rows = await database.auditTrail.list(filter, { limit: limit + 1, before });
        const { page, next_before } = pageOf(rows, limit);
        return {
          message: 'Audit trail.',
          data: { audit_events: page.map(present), next_before },
        };
      },
    }),
  ];
}

function present({ id, at, actor, action, importId, submissionId, detail }: AuditEventRow): AuditEvent {
  return {
    id,
    at: at.toISOString(),
    actor,
    action,
    import_id: importId ?? null,
    submission_id: submissionId ?? null,
    detail: detail ?? null,
  };
}
