import { defineEntity, p } from '@mikro-orm/core';

/**
 * Earliest time of the next call to the regulator, over all processes: a single row with id 1, which the migration
 * creates.
 */
export const RegulatorPace = defineEntity({
  name: 'RegulatorPace',
  tableName: 'regulator_pace',
  properties: {
    id: p.integer().primary().autoincrement(false).default(1),
    /** The first moment that is not assigned to a call yet (REGULATOR_RATE_PER_SECOND). */
    nextCallAt: p.datetime(6),
    /** End of the regulator's `Retry-After`. */
    closedUntil: p.datetime(6),
  },
  checks: [{ expression: 'id = 1' }],
});
