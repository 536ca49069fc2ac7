/** Scripts that start servers. Every started server is ended, whatever happens to the script. */
import { endAll } from './cleanup.ts';

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

const UNAVAILABLE = 2;

/** The script did nothing, because a requirement is missing. The message names it. */
export class Unavailable extends Error {}

/**
 * Runs a script to its end, or to a signal. Exits with 0 when it resolves with 0, with 2 when it is unavailable, else
 * with 1.
 */
export async function runScript(run: () => Promise<number>): Promise<never> {
  // A signal may end the script, which must then wait for all ends.
  let ending = Promise.resolve();
  const stopAll = () => {
    ending = ending.then(endAll);
    return ending;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stopAll().then(() => process.exit(130)));
  }
  let code = 1;
  try {
    code = (await run()) === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof Unavailable) code = UNAVAILABLE;
    say(`${error instanceof Unavailable ? 'not possible here' : 'failed'}: ${(error as Error).message}`);
  } finally {
    say('Stopping …');
    await stopAll();
  }
  return process.exit(code);
}
