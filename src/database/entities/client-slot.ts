import { defineEntity, p } from '@mikro-orm/core';

/** One concurrent operation of a client, under a limit. */
export const ClientSlot = defineEntity({
  name: 'ClientSlot',
  tableName: 'client_slot',
  properties: {
    kind: p.string().length(32).primary(),
    clientId: p.string().primary(),
    /** From 1. */
    slot: p.integer().primary().autoincrement(false),
    /** The request that holds the slot. */
    token: p.uuid().index(),
    /** Room in the storage that an upload may need. */
    reservedBytes: p.bigint('number').default(0),
    /** Renewed while its process lives. */
    expiresAt: p.datetime(3),
  },
});
