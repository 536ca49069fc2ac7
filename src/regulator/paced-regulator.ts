/** A regulator that is called no more often than it allows, counted over all processes. */
import { RegulatorRateLimited } from '../domain/errors.ts';
import type { Regulator } from './port.ts';

/** What all processes share; the database has one. */
export interface Pace {
  /**
   * Waits for the turn of a call, which must begin then.
   *
   * @throws RegulatorRateLimited while the regulator does not want to be called: that wait may be long, and is
   *   Temporal's business. Rejects with the signal's reason when it is aborted.
   */
  turn(signal?: AbortSignal): Promise<void>;
  /** The regulator asked not to be called for so many seconds. */
  pause(seconds: number): Promise<void>;
}

/**
 * Every call waits for its turn; after a 429 no process calls before `Retry-After` has passed. Logins and
 * logouts are the exception: somebody waits for them, and they are few.
 */
export function createPacedRegulator(regulator: Regulator, pace: Pace): Regulator {
  async function paced<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    await pace.turn(signal);
    try {
      return await call();
    } catch (error) {
      if (error instanceof RegulatorRateLimited) await pace.pause(error.retryAfterSeconds);
      throw error;
    }
  }

  return {
    logIn: () => regulator.logIn(),
    verify: (loginId, code) => regulator.verify(loginId, code),
    logOut: (token) => regulator.logOut(token),
    renew: (token) => paced(undefined, () => regulator.renew(token)),
    openCase: (token, open, options) =>
      paced(options?.signal, () => regulator.openCase(token, open, options)),
    sendAttachment: (token, caseId, attachment, options) =>
      paced(options?.signal, () => regulator.sendAttachment(token, caseId, attachment, options)),
    sendSection: (token, caseId, step, section, options) =>
      paced(options?.signal, () => regulator.sendSection(token, caseId, step, section, options)),
  };
}
