/** The stored regulator session: one row, with an encrypted token. */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SessionState } from '../../domain/regulator.ts';
import { isSessionLocked, tryLockSession } from '../coordination/locks.ts';
import { type Cipher, decrypted, type Place, requireDecrypted } from '../encryption.ts';
import { RegulatorSession, type RegulatorSessionRow } from '../entities/coordination.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';
import { type AuditEntry, audit, changeAudited } from './audit-trail.ts';

const TOKEN: Place = { table: 'regulator_session', column: 'encrypted_token', row: '1' };
const WITHOUT_SECRET = { what: 'The stored regulator session', remedy: 'log in again' };

/** Codes have six digits: five attempts of a million, then the login ends and another code is mailed. */
const CODE_ATTEMPTS = 5;

/** The columns of a row without login and session. */
const EMPTY = { loginId: null, codeAttempts: 0, encryptedToken: null, expiresAt: null };

/** An active stored session. */
export interface StoredSession {
  token: string;
  expiresAt: Date;
  /** Time of the login or of the last renewal. */
  since: Date;
}

/** Each change of the session has its audit entry. */
export function createRegulatorSessionRepository(orm: Orm, cipher: Cipher) {
  const db = statements(orm.em.fork());
  const find = () => orm.em.fork().findOne(RegulatorSession, { id: 1 });
  const encrypted = (token: string) => cipher.encrypt(token, TOKEN);

  /** Changes the session of a token. Does nothing if another session has replaced it meanwhile. */
  async function changeSessionOf(
    token: string,
    values: Partial<RegulatorSessionRow>,
    entry: AuditEntry,
    where: { expiresAt?: { $gt: Date } } = {},
  ): Promise<void> {
    const changing = async (em: EntityManager) => {
      const row = await em.findOne(RegulatorSession, { id: 1 }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!row?.encryptedToken || decrypted(cipher, row.encryptedToken, TOKEN) !== token) return 0;
      return em.nativeUpdate(RegulatorSession, { id: 1, ...where }, values);
    };
    await changeAudited(orm, changing, entry);
  }

  /** Replaces the whole row: a login ends the session before it, and a session the login. */
  async function replace(entry: AuditEntry, values: Partial<RegulatorSessionRow> = {}): Promise<void> {
    await orm.em.fork().transactional(async (em) => {
      await em.upsert(RegulatorSession, { id: 1, ...EMPTY, ...values, updatedAt: new Date() });
      await audit(em, entry);
    });
  }

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
    async active(): Promise<StoredSession | { token: null; state: SessionState }> {
      const row = await find();
      const state = stateOf(row);
      if (state.status !== 'active' || !row?.encryptedToken || !state.expiresAt)
        return { token: null, state };
      const token = requireDecrypted(cipher, row.encryptedToken, TOKEN, WITHOUT_SECRET);
      return { token, expiresAt: state.expiresAt, since: row.updatedAt };
    },

    storePendingLogin: (loginId: string, actor: string) =>
      replace({ actor, action: 'regulator-session.login' }, { loginId }),

    /**
     * Takes one of a login's attempts for its code, before the request to the regulator: concurrent requests of many
     * gateways stay within the limit.
     *
     * @returns remaining attempts; null if none is left, or another login is pending
     */
    async takeCodeAttempt(loginId: string): Promise<number | null> {
      const row = await db.row<{ left: number }>`
        update regulator_session set code_attempts = code_attempts + 1
         where login_id = ${loginId} and code_attempts < ${CODE_ATTEMPTS}
        returning ${CODE_ATTEMPTS} - code_attempts as left
      `;
      return row?.left ?? null;
    },

    /** Returns an attempt whose request did not reach the regulator. */
    async refundCodeAttempt(loginId: string): Promise<void> {
      await db.run`
        update regulator_session set code_attempts = code_attempts - 1 where login_id = ${loginId} and code_attempts > 0
      `;
    },

    /** @param attemptsLeft 0 ends the login */
    async recordWrongCode(loginId: string, attemptsLeft: number, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        await audit(em, {
          actor,
          action: 'regulator-session.wrong_code',
          detail: { attempts_left: attemptsLeft },
        });
        if (attemptsLeft > 0) return;
        const ended = await em.nativeUpdate(
          RegulatorSession,
          { id: 1, loginId },
          { loginId: null, codeAttempts: 0, updatedAt: new Date() },
        );
        if (ended > 0) await audit(em, { actor, action: 'regulator-session.login_ended' });
      });
    },

    storeActive: (token: string, expiresAt: Date, actor: string) =>
      replace({ actor, action: 'regulator-session.active' }, { encryptedToken: encrypted(token), expiresAt }),

    /** Replaces `token` with a renewed session. Does nothing if `token` is no longer the session. */
    async storeRenewed(
      token: string,
      renewed: { token: string; expiresAt: Date },
      actor: string,
    ): Promise<void> {
      const { expiresAt } = renewed;
      const values = { encryptedToken: encrypted(renewed.token), expiresAt, updatedAt: new Date() };
      await changeSessionOf(token, values, { actor, action: 'regulator-session.renewed' });
    },

    /** Ends the session of a token that the regulator rejects. */
    async expire(token: string, actor: string): Promise<void> {
      const now = new Date();
      const entry = { actor, action: 'regulator-session.expired' };
      await changeSessionOf(token, { expiresAt: now, updatedAt: now }, entry, { expiresAt: { $gt: now } });
    },

    clear: (actor: string) => replace({ actor, action: 'regulator-session.logout' }),

    /** Runs work under a lock over all processes; returns null if another caller holds it. */
    unlessRunning: <T>(work: () => Promise<T>): Promise<T | null> =>
      orm.em.fork().transactional(async (em) => ((await tryLockSession(em)) ? work() : null)),

    /** Whether a caller of `unlessRunning` works. */
    isRunning: () => isSessionLocked(orm.em.fork()),
  };
}

function stateOf(row: RegulatorSessionRow | null): SessionState {
  if (row?.loginId) return { status: 'awaiting_verification_code', expiresAt: null };
  if (!row?.encryptedToken || !row.expiresAt) return { status: 'none', expiresAt: null };
  return { status: row.expiresAt > new Date() ? 'active' : 'expired', expiresAt: row.expiresAt };
}
