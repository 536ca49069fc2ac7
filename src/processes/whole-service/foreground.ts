/** Runs the whole service in a terminal. */

import { configOfThisProcess } from '../../config/environment.ts';
import { announce, fail, untilStopped } from '../shared/console.ts';
import type { Address } from './addresses.ts';
import { startWholeService, type WholeService } from './whole-service.ts';

/**
 * Starts the whole service with the configuration of this process, uses it, stops it, and ends the process. After a
 * failure, prints the reason and ends with 1.
 *
 * @param use the service stops once it has resolved; `stopped` resolves on Ctrl-C
 * @param defaults variables of the gateway and the workers that the environment does not set
 */
export async function runInForeground(
  use: (service: WholeService, stopped: Promise<void>) => Promise<void>,
  defaults: NodeJS.ProcessEnv = {},
): Promise<never> {
  try {
    const config = configOfThisProcess('whole service');
    const service = await startWholeService(config, { ...defaults, ...process.env }, announce);
    try {
      await use(service, untilStopped());
    } finally {
      announce('Stopping …');
      await service.stop();
    }
    process.exit(0);
  } catch (error) {
    fail(error);
  }
}

export function announceAddresses(addresses: readonly Address[]): void {
  for (const { title, url } of addresses) announce(`  ${title.padEnd(20)} ${url}`);
}
