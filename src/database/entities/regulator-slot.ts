import { defineEntity, p } from '@mikro-orm/core';

/** A slot for calls to the regulator, and until when a process has it. Slot 0 says that a process waits for one. */
export const RegulatorSlot = defineEntity({
  name: 'RegulatorSlot',
  tableName: 'regulator_slot',
  properties: {
    slot: p.integer().primary().autoincrement(false),
    holder: p.uuid(),
    expiresAt: p.datetime(6),
  },
});
