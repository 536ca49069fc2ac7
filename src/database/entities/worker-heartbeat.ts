import { defineEntity, p } from '@mikro-orm/core';

/** A worker process in one of its roles. The process renews `seenAt` while it accepts tasks. */
export const WorkerHeartbeat = defineEntity({
  name: 'WorkerHeartbeat',
  tableName: 'worker_heartbeat',
  properties: {
    role: p.string().length(32).primary(),
    /** The process. */
    holder: p.uuid().primary(),
    seenAt: p.datetime(3),
  },
});
