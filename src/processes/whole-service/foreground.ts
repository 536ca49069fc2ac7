/** Runs the whole service in a terminal. */

import { configOfThisProcess } from '../../config/environment.ts';
import { announce, fail, untilStopped } from '../shared/console.ts';
import type { Address } from './addresses.ts';
import { startWholeService, type WholeService } from './whole-service.ts';

/** The exit code of a shell after SIGINT. */
const INTERRUPTED = 130;

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
  const stopped = untilStopped();
  const interrupted = new AbortController();
  void stopped.then(() => {
    announce('Stopping …');
    interrupted.abort();
  });
  try {
    const config = configOfThisProcess('whole service');
    const env = { ...defaults, ...process.env };
    const service = await startWholeService(config, env, announce, interrupted.signal);
    try {
      await use(service, stopped);
    } finally {
      if (!interrupted.signal.aborted) announce('Stopping …');
      await service.stop();
    }
    process.exit(0);
  } catch (error) {
    if (interrupted.signal.aborted) process.exit(INTERRUPTED);
    fail(error);
  }
}

export function announceAddresses(addresses: readonly Address[]): void {
  for (const { title, url, note } of addresses) announce(`  ${title.padEnd(20)} ${url}  ${note}`.trimEnd());
}
