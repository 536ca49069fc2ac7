/** Limits calls to the regulator to its allowed rate, over all processes. */
import type { RateLimit } from '../database/coordination/regulator-rate-limit.ts';
import { RegulatorRateLimited } from '../domain/client-errors.ts';
import type { CallOptions, Regulator } from './port.ts';

/**
 * Makes every call wait for its permit. After a 429 no process calls before `Retry-After` has passed. Logins and logouts
 * do not wait: a person waits for them, and they are few.
 */
export function createRateLimitedRegulator(regulator: Regulator, rateLimit: RateLimit): Regulator {
  async function limited<T>(options: CallOptions | undefined, call: () => Promise<T>): Promise<T> {
    await rateLimit.acquire(options);
    try {
      return await call();
    } catch (error) {
      if (error instanceof RegulatorRateLimited) await rateLimit.pause(error.retryAfterSeconds);
      throw error;
    }
  }

  return {
    logIn: () => regulator.logIn(),
    verify: (loginId, code) => regulator.verify(loginId, code),
    logOut: (token) => regulator.logOut(token),
    renew: (token) => limited(undefined, () => regulator.renew(token)),
    openCase: (token, open, options) => limited(options, () => regulator.openCase(token, open, options)),
    sendAttachment: (token, caseId, attachment, options) =>
      limited(options, () => regulator.sendAttachment(token, caseId, attachment, options)),
    sendSection: (token, caseId, step, section, options) =>
      limited(options, () => regulator.sendSection(token, caseId, step, section, options)),
  };
}
