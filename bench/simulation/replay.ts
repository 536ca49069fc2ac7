/** Sends a day's arrivals to a service that runs, and tells how it bore them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../src/client/api-client.ts';
import { followImport } from '../../src/client/follow-import.ts';
import { packageImportsOf } from '../../src/client/package-imports.ts';
import { type Spread, spreadOf } from '../figure.ts';
import { createPackages } from '../packages.ts';
import type { Arrival } from './arrivals.ts';

export interface ReplayFigures {
  packages: number;
  products: number;
  inserted: number;
  /** Seconds from the upload to its answer. */
  answers: Spread | null;
  /** Seconds from an upload to the end of its last insert. */
  imports: Spread | null;
  /** Seconds from the last arrival until everything had ended. */
  backlogSeconds: number;
}

/** How often an import is asked about at most, in milliseconds. */
const POLL_MS = 2_000;

/**
 * @param directory for the packages
 * @param seed another one for every replay: products whose content has been imported before are skipped
 */
export async function replay(
  client: ApiClient,
  arrivals: readonly Arrival[],
  { directory, seed, say }: { directory: string; seed: number; say(line: string): void },
): Promise<ReplayFigures> {
  const packages = createPackages(directory, { seed, withAttachments: true });
  const imports = packageImportsOf(client);
  const started = performance.now();
  const since = (from: number) => (performance.now() - from) / 1000;
  const send = async ({ products }: Arrival) => {
    const file = await packages.makePackage(products);
    const uploaded = performance.now();
    const { data } = await imports.upload(file);
    const answeredAfter = since(uploaded);
    const report = await followImport(client, data.id, { firstPauseMs: POLL_MS });
    say(`import ${data.id}: ${products} products, answered after ${answeredAfter.toFixed(1)} s`);
    return { answeredAfter, endedAfter: since(uploaded), inserted: report.progress.regulator_inserted };
  };
  const sent = [];
  for (const arrival of arrivals) {
    await sleep(Math.max(0, arrival.afterMs - (performance.now() - started)));
    const ended = send(arrival);
    // Awaited below; one that fails meanwhile is nobody's surprise.
    ended.catch(() => {});
    sent.push(ended);
  }
  const lastArrival = performance.now();
  const all = await Promise.all(sent);
  return {
    packages: all.length,
    products: arrivals.reduce((sum, { products }) => sum + products, 0),
    inserted: all.reduce((sum, { inserted }) => sum + inserted, 0),
    answers: spreadOf(all.map(({ answeredAfter }) => answeredAfter)),
    imports: spreadOf(all.map(({ endedAfter }) => endedAfter)),
    backlogSeconds: since(lastArrival),
  };
}
