/** Reading the audit trail: for operators. */
import { z } from 'zod';
import type { AuditEventRow } from '../../database/entities/audit-event.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { defineRoute } from '../route.ts';
import { type AuditEventJson, auditPage } from '../schemas/audit-event.ts';
import { idParams, pageOf, pageQuery, plainText } from '../schemas/common.ts';

const listQuery = z.object({
  import_id: idParams.shape.id.optional(),
  submission_id: idParams.shape.id.optional(),
  actor: plainText.optional(),
  action: plainText
    .transform((text) => text.split(',').map((action) => action.trim()))
    .optional()
    .meta({ description: 'One action as a whole, or several with commas between' }),
  ...pageQuery.shape,
});

export function auditEventRoutes({ database }: GatewayDependencies) {
  return [
    defineRoute({
      method: 'get',
      path: '/regulator/audit-events',
      operationId: 'getAuditEvents',
      tag: 'Audit trail',
      summary: 'Every status change, retry, session action and look of an operator at others, newest first',
      permission: PERMISSIONS.operate,
      query: listQuery,
      answers: {
        200: {
          description: 'One page',
          data: auditPage,
        },
      },
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

function present({ id, at, actor, action, importId, submissionId, detail }: AuditEventRow): AuditEventJson {
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
