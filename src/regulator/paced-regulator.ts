/** Paces calls to the regulator to its allowed rate, over all processes. */
import type { Pace } from '../database/coordination/regulator-pace.ts';
import { RegulatorRateLimited } from '../domain/client-errors.ts';
import type { CallOptions, Regulator } from './port.ts';

/**
 * Makes every call wait for its permit. After a 429 no process calls before `Retry-After` has passed. Logins and logouts
 * do not wait: a person waits for them, and they are few.
 */
export function createPacedRegulator(regulator: Regulator, pace: Pace): Regulator {
  async function paced<T>(options: CallOptions | undefined, call: () => Promise<T>): Promise<T> {
    await pace.acquire(options);
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
