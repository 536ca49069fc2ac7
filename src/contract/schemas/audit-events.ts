/** The audit trail: every action with its actor. */
import { z } from 'zod';
import { idParams, nextBefore, pageQuery, plainText, timestamp } from './common.ts';
import { describe } from './operation.ts';

const ACTORS =
  '`client:<id>`, `person:<sub> (<name>)` on the web page, `workflow:<workflow id>/<run id>` or `service:<part>`';

const auditEvent = z
  .object({
    id: z.int(),
    at: timestamp,
    actor: z.string().meta({
      description: ACTORS,
      example: 'client:demo-client',
    }),
    action: z.string().meta({ example: 'submission.regulator_inserted' }),
    import_id: z.int().nullable(),
    submission_id: z.int().nullable(),
    detail: z
      .unknown()
      .meta({ description: 'Details of the action, e.g. the previous status and the reason' }),
  })
  .meta({ id: 'AuditEvent' });

const auditPage = z.object({ audit_events: z.array(auditEvent), next_before: nextBefore });

export type AuditEvent = z.infer<typeof auditEvent>;
export type AuditPage = z.infer<typeof auditPage>;

const listQuery = z.object({
  import_id: idParams.shape.id.optional(),
  submission_id: idParams.shape.id.optional(),
  actor: plainText
    .optional()
    .meta({ description: 'An actor as in the events. `person:<sub>` finds the person under every name' }),
  action: plainText
    .transform((text) => text.split(',').map((action) => action.trim()))
    .optional()
    .meta({ description: 'Name of an action, or several names separated by commas' }),
  ...pageQuery.shape,
});

export type AuditQuery = z.input<typeof listQuery>;

export const getAuditEvents = describe('getAuditEvents', {
  tag: 'Audit trail',
  summary: 'List audit events, newest first',
  description:
    "Events are status changes, retries, session actions, and reads of other clients' records by operators.",
  query: listQuery,
  answers: { 200: { description: 'A page of audit events', data: auditPage } },
});
