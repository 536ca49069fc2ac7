import { defineEntity, p } from '@mikro-orm/core';

/** While the single row exists, no step of an insert begins. */
export const InsertingPause = defineEntity({
  name: 'InsertingPause',
  tableName: 'inserting_pause',
  properties: {
    id: p.integer().primary().autoincrement(false).default(1),
    reason: p.text(),
    /** Actor of the pause, as in the audit trail. */
    actor: p.text(),
    since: p.datetime(3),
  },
  checks: [{ expression: 'id = 1' }],
});
