/** Reading the audit trail: for operators. */
import { z } from 'zod';
import type { AuditEventRow } from '../../database/entities/audit-event.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { defineRoute } from '../route.ts';
import { idParams, nextBefore, pageOf, pageQuery, plainText, timestamp } from '../schemas/common.ts';

const auditEvent = z
  .object({
    id: z.int(),
    at: timestamp,
    actor: z.string().meta({
      description: '`client:<id>`, `workflow:<workflow id>/<run id>` or `service:<part>`',
      example: 'client:demo-client',
    }),
    action: z.string().meta({ example: 'submission.regulator_inserted' }),
    import_id: z.int().nullable(),
    submission_id: z.int().nullable(),
    detail: z
      .unknown()
      .meta({ description: 'What the action has to tell, e.g. the status before and the reason' }),
  })
  .meta({ id: 'AuditEvent' });

const listQuery = z.object({
  import_id: idParams.shape.id.optional(),
  submission_id: idParams.shape.id.optional(),
  actor: plainText.optional(),
  action: plainText.optional(),
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
          data: z.object({ audit_events: z.array(auditEvent), next_before: nextBefore }),
        },
      },
      async handle({ query: { limit, before, import_id, submission_id, actor, action } }) {
        const filter = { importId: import_id, submissionId: submission_id, actor, action };
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

function present({ id, at, actor, action, importId, submissionId, detail }: AuditEventRow) {
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
