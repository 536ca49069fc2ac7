/** Sends packages to a running service at a constant rate, and reports the results. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../cli/client/api-client.ts';
import { followImport } from '../../cli/client/follow-import.ts';
import { packageImportsOf } from '../../cli/client/package-imports.ts';
import { type Spread, spreadOf } from '../figure.ts';
import { createPackages } from '../packages.ts';

interface Arrival {
  /** Milliseconds since the start of the replay. */
  afterMs: number;
  products: number;
}

/** Sizes of packages in turns: most are small, few are large. */
const SIZES = [1, 5, 2, 20, 3, 1, 60, 8, 2, 10];

/** Packages at a constant rate, the last one cut to the remaining products. @param products of all packages together */
export function arrivalsOf(products: number, durationMs: number): Arrival[] {
  const sizes: number[] = [];
  for (let left = products; left > 0; left -= sizes.at(-1) ?? left)
    sizes.push(Math.min(left, SIZES[sizes.length % SIZES.length] ?? 1));
  return sizes.map((size, index) => ({ afterMs: (durationMs * index) / sizes.length, products: size }));
}

/** The result of one package. */
export interface Sent {
  importId: number;
  inserted: number;
  /** Seconds from the upload to its answer, retries of the client included. */
  answeredAfter: number;
  /** Seconds from the upload to the end of its last insert. */
  endedAfter: number;
}

interface ReplayFigures {
  packages: number;
  /** Packages that were refused, or whose end could not be read. */
  failed: number;
  products: number;
  inserted: number;
  answers: Spread | null;
  imports: Spread | null;
  /** Seconds from the last arrival to the end of the last import. */
  backlogSeconds: number;
}

/**
 * Sends each package at its time, independent of the results of earlier ones. A failed package is printed and
 * counted: failures show that the service cannot handle the load.
 */
export async function replay(
  arrivals: readonly Arrival[],
  send: (arrival: Arrival) => Promise<Sent>,
  say: (line: string) => void,
): Promise<ReplayFigures> {
  const started = performance.now();
  const tellingSend = async (arrival: Arrival) => {
    const { products } = arrival;
    try {
      const sent = await send(arrival);
      const { importId, inserted, answeredAfter, endedAfter } = sent;
      say(
        `import ${importId}: ${inserted} of ${products} inserted, answered after ${answeredAfter.toFixed(1)} s, ended after ${endedAfter.toFixed(1)} s`,
      );
      return sent;
    } catch (error) {
      say(`a package of ${products} products failed: ${(error as Error).message}`);
      return null;
    }
  };
  const all: Promise<Sent | null>[] = [];
  for (const arrival of arrivals) {
    await sleep(Math.max(0, arrival.afterMs - (performance.now() - started)));
    all.push(tellingSend(arrival));
  }
  const lastArrival = performance.now();
  const sent = (await Promise.all(all)).filter((one) => one !== null);
  return {
    packages: arrivals.length,
    failed: arrivals.length - sent.length,
    products: arrivals.reduce((sum, { products }) => sum + products, 0),
    inserted: sent.reduce((sum, { inserted }) => sum + inserted, 0),
    answers: spreadOf(sent.map(({ answeredAfter }) => answeredAfter)),
    imports: spreadOf(sent.map(({ endedAfter }) => endedAfter)),
    backlogSeconds: (performance.now() - lastArrival) / 1000,
  };
}

/**
 * Makes a package, uploads it and waits for the end of its import.
 * @param directory for the packages
 * @param seed different for every replay: the service skips products whose content was imported before
 */
export function sendTo(client: ApiClient, { directory, seed }: { directory: string; seed: number }) {
  const packages = createPackages(directory, { seed, withAttachments: true });
  const imports = packageImportsOf(client);
  return async ({ products }: Arrival): Promise<Sent> => {
    const file = await packages.makePackage(products);
    const uploaded = performance.now();
    const since = () => (performance.now() - uploaded) / 1000;
    const { data } = await imports.upload(file);
    const answeredAfter = since();
    const { progress } = await followImport(client, data.id);
    return {
      importId: data.id,
      inserted: progress.regulator_inserted,
      answeredAfter,
      endedAfter: since(),
    };
  };
}
