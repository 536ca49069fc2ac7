/**
 * The service's own session with the regulator: log in → code by e-mail → active → expired
 * (decision §the-regulator-is-a-port). The store holds the state, so that every process sees the same session.
 */
import { pause } from '../common/retrying.ts';
import { createSingleFlightCache } from '../common/single-flight-cache.ts';
import { count } from '../common/text.ts';
import type { Database } from '../database/index.ts';
import type { StoredSession } from '../database/repositories/regulator-session.ts';
import {
  RegulatorSessionRequired,
  RegulatorUnavailable,
  WrongVerificationCode,
} from '../domain/client-errors.ts';
import { DomainError } from '../domain/errors.ts';
import { type SessionState, sessionMessage } from '../domain/regulator.ts';
import type { Regulator, SessionGrant } from './port.ts';

/** The stored session, which every process sees. */
type SessionStore = Database['regulatorSession'];

export type RegulatorSessions = ReturnType<typeof createRegulatorSessions>;

/** A session is renewed when less than this share of it, and less than that many milliseconds, are left. */
const RENEWAL_SHARE = 0.25;
const RENEWAL_MS = 10 * 60_000;
/** A renewal that is due is tried twice a minute. */
const OVERDUE_MS = 60_000;
/** Pause of this process after a refused renewal. */
const RENEWAL_PAUSE_MS = 30_000;
const RENEWAL_POLL_MS = 100;
/** As long as a call to the regulator takes at most. A process that is frozen holds the lock longer. */
const RENEWAL_WAIT_MS = 30_000;
/** Cache time of the session in a process: each product makes six calls, each of which would query the store. */
const KNOWN_MS = 1_000;
const RENEWING = 'service:regulator-session';
const LOGIN_ENDED =
  'Too many wrong verification codes. The login has ended. Log in again with POST /regulator/session.';

export function createRegulatorSessions(regulator: Regulator, store: SessionStore) {
  /** @throws RegulatorSessionRequired */
  async function active(): Promise<StoredSession> {
    const stored = await store.active();
    if (stored.token === null) throw new RegulatorSessionRequired(sessionMessage(stored.state));
    return stored;
  }

  /** The cached session, at most a second old: the regulator rejects a session that has ended since. */
  const cached = createSingleFlightCache(active, ({ expiresAt }) =>
    Math.min(KNOWN_MS, expiresAt.getTime() - Date.now()),
  );

  let notGranted = { token: '', until: 0 };
  const wasRefused = ({ token }: StoredSession) =>
    notGranted.token === token && Date.now() < notGranted.until;

  /**
   * Renews the session with one call over all processes. Other callers use their present session, and read the new one
   * after a rejection. A refused renewal has no effect: the session stays valid until its end.
   */
  async function renewed(session: StoredSession): Promise<StoredSession> {
    if (wasRefused(session)) return session;
    const renewal = await store.unlessRunning(async () => {
      const current = await active();
      // Another caller may have renewed it, or have been refused, before this one got the lock.
      if (current.token !== session.token || !isNearItsEnd(current) || wasRefused(current)) return current;
      const grant = await regulator.renew(current.token).catch((error: unknown) => {
        if (error instanceof DomainError) return null;
        throw error;
      });
      if (grant === null) {
        notGranted = { token: current.token, until: Date.now() + RENEWAL_PAUSE_MS };
        return current;
      }
      await store.storeRenewed(current.token, grant, RENEWING);
      return active();
    });
    return renewal ?? session;
  }

  /**
   * The session after a pending renewal: the renewal ends the old session before the new one is stored.
   *
   * @throws RegulatorUnavailable if the renewal has not ended after half a minute; the reason of an aborted signal
   */
  async function afterRenewal(signal: AbortSignal | undefined): Promise<StoredSession> {
    const deadline = performance.now() + RENEWAL_WAIT_MS;
    while (await store.isRunning()) {
      if (performance.now() >= deadline)
        throw new RegulatorUnavailable('The renewal of the regulator session has not ended yet.');
      await pause(RENEWAL_POLL_MS, signal);
    }
    return active();
  }

  /**
   * Verifies a code with the regulator, within the attempts of the login.
   *
   * @throws WrongVerificationCode
   */
  async function verifyWithin(loginId: string, code: string, actor: string): Promise<SessionGrant> {
    const attemptsLeft = await store.takeCodeAttempt(loginId);
    if (attemptsLeft === null) throw new WrongVerificationCode(LOGIN_ENDED);
    try {
      return await regulator.verify(loginId, code);
    } catch (error) {
      if (!(error instanceof WrongVerificationCode)) {
        await store.refundCodeAttempt(loginId);
        throw error;
      }
      await store.recordWrongCode(loginId, attemptsLeft, actor);
      throw new WrongVerificationCode(
        attemptsLeft === 0
          ? LOGIN_ENDED
          : `${error.message} ${count(attemptsLeft, 'attempt', 'attempts')} left.`,
      );
    }
  }

  return {
    state: () => store.state(),

    /**
     * Starts a new login and drops the previous session.
     *
     * @throws RegulatorLoginRefused
     */
    async logIn(actor: string): Promise<SessionState> {
      const { loginId } = await regulator.logIn();
      await store.storePendingLogin(loginId, actor);
      return store.state();
    },

    /**
     * @throws WrongVerificationCode when the code is wrong, or no login is pending; the fifth wrong code ends the login
     */
    async verify(code: string, actor: string): Promise<SessionState> {
      const loginId = await store.pendingLogin();
      if (loginId === null) {
        throw new WrongVerificationCode(
          'No login is waiting for a verification code. Log in with POST /regulator/session.',
        );
      }
      const { token, expiresAt } = await verifyWithin(loginId, code, actor);
      await store.storeActive(token, expiresAt, actor);
      return store.state();
    },

    async logOut(actor: string): Promise<SessionState> {
      const stored = await store.active();
      if (stored.token !== null) await regulator.logOut(stored.token);
      await store.clear(actor);
      return store.state();
    },

    /**
     * Runs a call with the session's token, which is renewed near its end. If the regulator rejects the token, the store
     * records it, so that every process waits for the next login.
     *
     * @param signal ends the wait for a pending renewal
     * @throws RegulatorSessionRequired with the reason, without an active session
     */
    async use<T>(call: (token: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
      let session = await cached.get();
      if (isNearItsEnd(session)) session = await renewed(session);
      try {
        return await call(session.token);
      } catch (error) {
        if (!(error instanceof RegulatorSessionRequired)) throw error;
        cached.invalidate();
        const current = await afterRenewal(signal);
        // Another process has renewed it, or a person has logged in, since it was read.
        if (current.token !== session.token) return call(current.token);
        await store.expire(session.token, RENEWING);
        throw new RegulatorSessionRequired(sessionMessage(await store.state()));
      }
    },

    /** The end of an active session whose renewal has been due for a minute; otherwise null. */
    async endsSoon(): Promise<Date | null> {
      const stored = await store.active();
      const isOverdue = stored.token !== null && isNearItsEnd(stored, Date.now() - OVERDUE_MS);
      return isOverdue ? stored.expiresAt : null;
    },

    /** Renews the session if it is active and near its end. Never throws for an answer of the regulator. */
    async keepAlive(): Promise<void> {
      const stored = await store.active();
      if (stored.token !== null && isNearItsEnd(stored)) await renewed(stored);
    },
  };
}

function isNearItsEnd({ since, expiresAt }: StoredSession, now = Date.now()): boolean {
  const left = expiresAt.getTime() - now;
  return left < RENEWAL_MS && left < (expiresAt.getTime() - since.getTime()) * RENEWAL_SHARE;
}
