/** Records that all processes share: the regulator session, limits of calls and clients, and heartbeats. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** The one login of the service with the regulator: a single row with id 1. */
export const RegulatorSession = defineEntity({
  name: 'RegulatorSession',
  properties: {
    id: p.integer().primary().autoincrement(false).default(1),
    /** The login that waits for its verification code; null once verified. */
    loginId: p.text().nullable(),
    /** Codes tried for this login, which ends with the fifth wrong one. */
    codeAttempts: p.integer().default(0),
    /** The session token, encrypted (see `encryption.ts`). */
    encryptedToken: p.text().nullable(),
    expiresAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
  checks: [{ expression: 'id = 1' }],
});

export type RegulatorSessionRow = InferEntity<typeof RegulatorSession>;

/**
 * A slot for calls to the regulator, with the id and the end of its lease. Slot 0 says that a process waits for a slot,
 * and has the id of the process.
 */
export const RegulatorSlot = defineEntity({
  name: 'RegulatorSlot',
  properties: {
    slot: p.integer().primary().autoincrement(false),
    holder: p.uuid(),
    expiresAt: p.datetime(6),
  },
});

/**
 * Earliest time of the next call to the regulator, over all processes: a single row with id 1, which the migration
 * creates.
 */
export const RegulatorRateLimit = defineEntity({
  name: 'RegulatorRateLimit',
  properties: {
    id: p.integer().primary().autoincrement(false).default(1),
    /** The first moment that is not assigned to a call yet (REGULATOR_RATE_PER_SECOND). */
    nextCallAt: p.datetime(6),
    /** End of the regulator's `Retry-After`. */
    closedUntil: p.datetime(6),
  },
  checks: [{ expression: 'id = 1' }],
});

/** While the single row exists, no step of an insert begins. */
export const InsertingPause = defineEntity({
  name: 'InsertingPause',
  properties: {
    id: p.integer().primary().autoincrement(false).default(1),
    reason: p.text(),
    /** Actor of the pause, as in the audit trail. */
    actor: p.text(),
    since: p.datetime(3),
  },
  checks: [{ expression: 'id = 1' }],
});

/** One concurrent operation of a client, under a limit. */
export const ClientSlot = defineEntity({
  name: 'ClientSlot',
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

/**
 * Points that a client has used in the present window of a rate limit. rate-limiter-flexible defines the columns and
 * their order.
 */
export const ClientRate = defineEntity({
  name: 'ClientRate',
  properties: {
    /** `<rate>:<client id>` */
    key: p.text().primary(),
    points: p.integer().default(0),
    /** End of the window, in Unix milliseconds. */
    expire: p.bigint('number').nullable(),
  },
});

/** A worker process in one of its roles. The process renews `seenAt` while it accepts tasks. */
export const WorkerHeartbeat = defineEntity({
  name: 'WorkerHeartbeat',
  properties: {
    role: p.string().length(32).primary(),
    /** The process. */
    holder: p.uuid().primary(),
    seenAt: p.datetime(3),
  },
});
