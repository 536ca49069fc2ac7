/** Uploads of several clients over the duration of the faults, each after its share of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../tools/package-generator/random.ts';
import type { Clients, Upload } from './clients.ts';
import { makePackage, type SentPackage } from './packages.ts';

export interface LoadOptions {
  seed: number;
  imports: number;
  clients: number;
  products: [from: number, to: number];
  /** Share of the faults that have begun, from 0 to 1. */
  progress(): number;
}

export interface SentUpload {
  upload: Upload;
  sent: SentPackage;
}

const LOOKS_AGAIN_MS = 200;

/** Resolves when every upload has its answer. @param number of the first package: no two may contain the same products */
export async function sendAll(clients: Clients, options: LoadOptions, first = 0): Promise<SentUpload[]> {
  const all = Array.from({ length: options.imports }, async (_, index): Promise<SentUpload> => {
    const number = first + index;
    // The first few start at once, so that faults have something to disturb.
    const begins = Math.max(0, index - options.clients) / options.imports;
    while (options.progress() < begins) await sleep(LOOKS_AGAIN_MS);
    const products = createRandom(options.seed, 'products', number).int(...options.products);
    const sent = await makePackage(options.seed, number, products);
    const upload = await clients.send(
      `client-${(number % options.clients) + 1}`,
      `${options.seed}-${number}`,
      sent,
    );
    return { upload, sent };
  });
  return Promise.all(all);
}
