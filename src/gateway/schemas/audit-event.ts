/** What was done, and by whom. */
import { z } from 'zod';
import { ACTORS } from '../../domain/actors.ts';
import { nextBefore, timestamp } from './common.ts';

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
      .meta({ description: 'What the action has to tell, e.g. the status before and the reason' }),
  })
  .meta({ id: 'AuditEvent' });

export const auditPage = z.object({ audit_events: z.array(auditEvent), next_before: nextBefore });

export type AuditEventJson = z.infer<typeof auditEvent>;
export type AuditPageJson = z.infer<typeof auditPage>;
