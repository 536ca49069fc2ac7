/** Scripts that start servers. Every started server is ended, whatever happens to the script. */

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Registers the function that ends a started part. The last part is ended first. */
export type Started = (stop: () => Promise<void>) => void;

const UNAVAILABLE = 2;

/** The script did nothing, because a requirement is missing. The message names it. */
export class Unavailable extends Error {}

/** Runs a script to its end, or to a signal. Exits with 0 when it resolves with 0, with 2 when it is unavailable, else with 1. */
export async function runScript(run: (started: Started) => Promise<number>): Promise<never> {
  const stops: (() => Promise<void>)[] = [];
  const stopThem = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  // Stops run one after the other. A signal may end the script, which must then wait for all stops.
  let stopping = Promise.resolve();
  const stopAll = () => {
    stopping = stopping.then(stopThem);
    return stopping;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stopAll().then(() => process.exit(130)));
  }
  let code = 1;
  try {
    code = (await run((stop) => stops.push(stop))) === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof Unavailable) code = UNAVAILABLE;
    say(`${error instanceof Unavailable ? 'not possible here' : 'failed'}: ${(error as Error).message}`);
  } finally {
    say('Stopping …');
    await stopAll();
  }
  return process.exit(code);
}
