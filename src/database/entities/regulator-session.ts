import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** The one login of the service with the regulator: a single row with id 1. */
export const RegulatorSession = defineEntity({
  name: 'RegulatorSession',
  tableName: 'regulator_session',
  properties: {
    id: p.integer().primary().autoincrement(false).default(1),
    /** The login that waits for its verification code; null once verified. */
    loginId: p.text().nullable(),
    /** Codes tried for this login, which ends with the fifth wrong one. */
    codeTries: p.integer().default(0),
    /** The session token, encrypted (see `encryption.ts`). */
    encryptedToken: p.text().nullable(),
    /** Digest of the token: it matches a revocation to its token without decryption. */
    tokenDigest: p.string().nullable(),
    expiresAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
  checks: [{ expression: 'id = 1' }],
});

export type RegulatorSessionRow = InferEntity<typeof RegulatorSession>;
