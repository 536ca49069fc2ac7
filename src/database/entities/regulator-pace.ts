import { defineEntity, p } from '@mikro-orm/core';

/** When the regulator may be called next, over all processes: a single row with id 1, which the migration makes. */
export const RegulatorPace = defineEntity({
  name: 'RegulatorPace',
  tableName: 'regulator_pace',
  properties: {
    id: p.integer().primary().autoincrement(false).default(1),
    /** The first moment that no call has been given yet (REGULATOR_RATE_PER_SECOND). */
    nextCallAt: p.datetime(6),
    /** Before when the regulator asked not to be called (`Retry-After`). */
    closedUntil: p.datetime(6),
  },
  checks: [{ expression: 'id = 1' }],
});
