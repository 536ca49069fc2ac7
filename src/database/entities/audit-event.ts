import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Json } from '../../domain/product.ts';

/**
 * The append-only trail of every status change, retry and session action (decision §audit-trail). Retention may forget
 * the person of an old event, and nothing else (decision §retention).
 */
export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  properties: {
    id: p.bigint('number').primary(),
    at: p.datetime(3).defaultRaw('now()'),
    /** See src/domain/actors.ts. */
    actor: p.text(),
    action: p.text(),
    importId: p.bigint('number').nullable().index(),
    submissionId: p.bigint('number').nullable().index(),
    detail: p.json<Json>().nullable(),
  },
  indexes: [
    { name: 'audit_event_action_index', properties: ['action', 'id'], where: 'submission_id is null' },
    {
      name: 'audit_event_person_index',
      properties: ['at'],
      // `like`, as PostgreSQL stores it.
      where: `actor ~~ 'person:%' and actor <> 'person:forgotten'`,
    },
  ],
  // The migration adds a trigger against TRUNCATE: MikroORM does not support such triggers.
  triggers: [
    {
      name: 'audit_event_append_only',
      timing: 'before',
      events: ['delete'],
      forEach: 'statement',
      body: "raise exception 'audit_event is append-only';",
    },
    {
      name: 'audit_event_forgets_people',
      timing: 'before',
      events: ['update'],
      forEach: 'row',
      body: `if old.actor like 'person:%' and old.at < now() - interval '30 days' and to_jsonb(new) = to_jsonb(old) || '{"actor": "person:forgotten"}' then return new; end if; raise exception 'audit_event is append-only';`,
    },
  ],
});

export type AuditEventRow = InferEntity<typeof AuditEvent>;
