import { defineEntity, p } from '@mikro-orm/core';

/**
 * A slot for calls to the regulator, with the id and the end of its lease. Slot 0 says that a process waits for a slot,
 * and has the id of the process.
 */
export const RegulatorSlot = defineEntity({
  name: 'RegulatorSlot',
  tableName: 'regulator_slot',
  properties: {
    slot: p.integer().primary().autoincrement(false),
    holder: p.uuid(),
    expiresAt: p.datetime(6),
  },
});
