/** The stored regulator session: one row, with an encrypted token. */
import type { SessionState } from '../../domain/regulator-session.ts';
import { audit } from '../audit.ts';
import { isSessionLocked, tryLockSession } from '../coordination/locks.ts';
import type { Cipher } from '../encryption.ts';
import { RegulatorSession, type RegulatorSessionRow } from '../entities/regulator-session.ts';
import type { Orm } from '../orm.ts';

/** Codes have six digits: five tries of a million, then the login ends and another code is mailed. */
const CODE_TRIES = 5;

export function createRegulatorSessionRepository(orm: Orm, cipher: Cipher) {
  async function save(values: Partial<RegulatorSessionRow>, actor: string, action: string): Promise<void> {
    await orm.em.fork().transactional(async (em) => {
      const row = {
        loginId: null,
        codeTries: 0,
        encryptedToken: null,
        tokenDigest: null,
        expiresAt: null,
        ...values,
        updatedAt: new Date(),
      };
      await em.upsert(RegulatorSession, { id: 1, ...row });
      await audit(em, [{ actor, action }]);
    });
  }

  function decrypt(encrypted: string): string {
    try {
      return cipher.decrypt(encrypted);
    } catch {
      throw new Error(
        'The stored regulator session cannot be decrypted: ENCRYPTION_SECRET is not the one that it was stored with. Set the same for all processes, or log in again.',
      );
    }
  }

  const find = () => orm.em.fork().findOne(RegulatorSession, { id: 1 });

  return {
    async state(): Promise<SessionState> {
      return stateOf(await find());
    },

    /** The login without a verified code, or null. */
    async pendingLogin(): Promise<string | null> {
      return (await find())?.loginId ?? null;
    },

    /**
     * The active session, or the present state without one.
     *
     * @throws when the session was encrypted with another secret
     */
    async active(): Promise<
      { token: string; expiresAt: Date; since: Date } | { token: null; state: SessionState }
    > {
      const row = await find();
      const state = stateOf(row);
      if (state.status !== 'active' || !row?.encryptedToken || !state.expiresAt)
        return { token: null, state };
      return { token: decrypt(row.encryptedToken), expiresAt: state.expiresAt, since: row.updatedAt };
    },

    /** Runs work under a lock over all processes; returns null if another caller holds it. */
    async unlessRunning<T>(work: () => Promise<T>): Promise<T | null> {
      return orm.em.fork().transactional(async (em) => {
        return (await tryLockSession(em)) ? work() : null;
      });
    },

    async isRunning(): Promise<boolean> {
      return isSessionLocked(orm.em.fork());
    },

    async storePendingLogin(loginId: string, actor: string): Promise<void> {
      await save({ loginId }, actor, 'regulator-session.login');
    },

    /**
     * Takes one of a login's tries for its code, before the request to the regulator: concurrent requests of many
     * gateways stay within the limit.
     *
     * @returns remaining tries; null if none is left, or another login is pending
     */
    async takeCodeTry(loginId: string): Promise<number | null> {
      const [row] = await orm.em
        .fork()
        .execute<{ code_tries: number }[]>(
          'update regulator_session set code_tries = code_tries + 1 where id = 1 and login_id = ? and code_tries < ? returning code_tries',
          [loginId, CODE_TRIES],
        );
      return row ? CODE_TRIES - row.code_tries : null;
    },

    /** Returns a try whose request did not reach the regulator. */
    async giveCodeTryBack(loginId: string): Promise<void> {
      await orm.em
        .fork()
        .execute(
          'update regulator_session set code_tries = code_tries - 1 where id = 1 and login_id = ? and code_tries > 0',
          [loginId],
        );
    },

    /** @param triesLeft 0 ends the login */
    async recordWrongCode(loginId: string, triesLeft: number, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        await audit(em, [
          { actor, action: 'regulator-session.wrong_code', detail: { tries_left: triesLeft } },
        ]);
        if (triesLeft > 0) return;
        const ended = await em.nativeUpdate(
          RegulatorSession,
          { id: 1, loginId },
          { loginId: null, codeTries: 0, updatedAt: new Date() },
        );
        if (ended > 0) await audit(em, [{ actor, action: 'regulator-session.login_ended' }]);
      });
    },

    async storeActive(token: string, expiresAt: Date, actor: string): Promise<void> {
      const values = { encryptedToken: cipher.encrypt(token), tokenDigest: cipher.digest(token), expiresAt };
      await save(values, actor, 'regulator-session.active');
    },

    /** Replaces `token` with a renewed session. Does nothing if a new login replaced it meanwhile. */
    async storeRenewed(
      token: string,
      renewed: { token: string; expiresAt: Date },
      actor: string,
    ): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const changed = await em.nativeUpdate(
          RegulatorSession,
          { id: 1, tokenDigest: cipher.digest(token) },
          {
            encryptedToken: cipher.encrypt(renewed.token),
            tokenDigest: cipher.digest(renewed.token),
            expiresAt: renewed.expiresAt,
            updatedAt: new Date(),
          },
        );
        if (changed > 0) await audit(em, [{ actor, action: 'regulator-session.renewed' }]);
      });
    },

    /**
     * Ends the session of a token that the regulator rejects. Does nothing if another session replaced it meanwhile.
     */
    async expire(token: string, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const now = new Date();
        const changed = await em.nativeUpdate(
          RegulatorSession,
          { id: 1, tokenDigest: cipher.digest(token), expiresAt: { $gt: now } },
          { expiresAt: now, updatedAt: now },
        );
        if (changed > 0) await audit(em, [{ actor, action: 'regulator-session.expired' }]);
      });
    },

    async clear(actor: string): Promise<void> {
      await save({}, actor, 'regulator-session.logout');
    },
  };
}

function stateOf(row: RegulatorSessionRow | null): SessionState {
  if (row?.loginId) return { status: 'awaiting_verification_code', expiresAt: null };
  if (!row?.encryptedToken || !row.expiresAt) return { status: 'none', expiresAt: null };
  return { status: row.expiresAt > new Date() ? 'active' : 'expired', expiresAt: row.expiresAt };
}
