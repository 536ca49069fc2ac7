/**
 * The service's own session with the regulator: log in → code by e-mail → active → expired (design §8).
 * The state lives in the store, so that every process sees the same session.
 */
import { RegulatorSessionRequired, WrongVerificationCode } from '../domain/errors.ts';
import { type SessionState, sessionMessage } from '../domain/regulator-session.ts';
import type { Regulator } from './port.ts';

/** What a session is kept in; the database's repository is one. */
export interface SessionStore {
  state(): Promise<SessionState>;
  pendingLogin(): Promise<string | null>;
  token(): Promise<{ token: string; expiresAt: Date } | { token: null; state: SessionState }>;
  storePendingLogin(loginId: string, actor: string): Promise<void>;
  storeActive(token: string, expiresAt: Date, actor: string): Promise<void>;
  expire(token: string, actor: string): Promise<void>;
  clear(actor: string): Promise<void>;
}

export interface RegulatorSessions {
  state(): Promise<SessionState>;
  /** Always starts a new login; what was there before is gone. @throws RegulatorLoginRefused */
  logIn(actor: string): Promise<SessionState>;
  /** @throws WrongVerificationCode when the code is wrong, or no login waits for one */
  verify(code: string, actor: string): Promise<SessionState>;
  logOut(actor: string): Promise<SessionState>;
  /**
   * Runs a call with the session's token. When the regulator turns out to have ended the session, the
   * store learns it, so that every process waits for the next login.
   *
   * @throws RegulatorSessionRequired with the reason, when there is no active session
   */
  use<T>(call: (token: string) => Promise<T>): Promise<T>;
}

export function createRegulatorSessions(regulator: Regulator, store: SessionStore): RegulatorSessions {
  return {
    state: () => store.state(),

    async logIn(actor) {
      const { loginId } = await regulator.logIn();
      await store.storePendingLogin(loginId, actor);
      return store.state();
    },

    async verify(code, actor) {
      const loginId = await store.pendingLogin();
      if (loginId === null) {
        throw new WrongVerificationCode(
          'No login is waiting for a verification code. Log in first with POST /regulator/session.',
        );
      }
      const { token, expiresAt } = await regulator.verify(loginId, code);
      await store.storeActive(token, expiresAt, actor);
      return store.state();
    },

    async logOut(actor) {
      const stored = await store.token();
      if (stored.token !== null) await regulator.logOut(stored.token);
      await store.clear(actor);
      return store.state();
    },

    async use(call) {
      const stored = await store.token();
      if (stored.token === null) throw new RegulatorSessionRequired(sessionMessage(stored.state));
      try {
        return await call(stored.token);
      } catch (error) {
        if (error instanceof RegulatorSessionRequired) {
          await store.expire(stored.token, 'service:regulator-insert');
          throw new RegulatorSessionRequired(sessionMessage(await store.state()));
        }
        throw error;
      }
    },
  };
}
