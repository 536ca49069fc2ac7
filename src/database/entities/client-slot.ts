import { defineEntity, p } from '@mikro-orm/core';

/** Something that a client may have under way only so many times, and that is: one row for each time. */
export const ClientSlot = defineEntity({
  name: 'ClientSlot',
  tableName: 'client_slot',
  properties: {
    kind: p.string().length(32).primary(),
    clientId: p.string().primary(),
    /** From 1. */
    slot: p.integer().primary().autoincrement(false),
    /** Whose it is: one request's. */
    token: p.uuid().index(),
    /** Renewed while its process lives. */
    expiresAt: p.datetime(3),
  },
});
