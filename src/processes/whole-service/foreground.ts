/** The whole service in somebody's terminal: started, used, and stopped with Ctrl-C. */

import { configOfThisProcess } from '../../config/environment.ts';
import { announce, fail, untilStopped } from '../shared/console.ts';
import type { Address } from './addresses.ts';
import { startWholeService, type WholeService } from './whole-service.ts';

/**
 * Starts the whole service as this process is configured, uses it, stops it, and ends the process: with 1 and
 * the reason when something failed.
 *
 * @param use told when somebody stops it; the service is stopped once this has resolved
 * @param defaults variables of the gateway and the workers, where the environment does not set them
 */
export async function runInForeground(
  use: (service: WholeService, stopped: Promise<void>) => Promise<void>,
  defaults: NodeJS.ProcessEnv = {},
): Promise<never> {
  try {
    const config = configOfThisProcess();
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
