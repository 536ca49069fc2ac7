/** A regulator that is called no more often than it allows, counted over all processes. */
import { RegulatorRateLimited } from '../domain/errors.ts';
import type { CallOptions, Regulator } from './port.ts';

/** What all processes share; the database has one. */
export interface Pace {
  /**
   * Waits for the turn of a call, which must begin then.
   *
   * @throws RegulatorRateLimited while the regulator does not want to be called, or when the turn would come later than
   *   in `patienceMs`, and is left to others: such waits are Temporal's business. Rejects with the signal's reason when
   *   it is aborted.
   */
  turn(call?: CallOptions): Promise<void>;
  /** The regulator asked not to be called for so many seconds. */
  pause(seconds: number): Promise<void>;
}

/**
 * Every call waits for its turn; after a 429 no process calls before `Retry-After` has passed. Logins and
 * logouts are the exception: somebody waits for them, and they are few.
 */
export function createPacedRegulator(regulator: Regulator, pace: Pace): Regulator {
  async function paced<T>(options: CallOptions | undefined, call: () => Promise<T>): Promise<T> {
    await pace.turn(options);
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
    openCase: (token, open, options) => paced(options, () => regulator.openCase(token, open, options)),
    sendAttachment: (token, caseId, attachment, options) =>
      paced(options, () => regulator.sendAttachment(token, caseId, attachment, options)),
    sendSection: (token, caseId, step, section, options) =>
      paced(options, () => regulator.sendSection(token, caseId, step, section, options)),
  };
}
