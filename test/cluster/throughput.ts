/** Throughput of one, two and more workers on a cluster, as ratios to one. */
import Table from 'cli-table3';
import { openObserver } from '../chaos/facts.ts';
import { upload } from '../overload/flood.ts';
import { createProductIds, ordinary } from '../overload/packages.ts';
import { closing, inScope } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { startWorld, type WorldOptions } from '../support/starters/world.ts';

const PRODUCTS = 150;
/** Latency of each call: workers wait more than they compute, as with a real regulator. */
const LATENCY_MS = 250;
/** Limit of concurrent calls, for any number of workers. */
const CONCURRENCY = 48;
const PATIENCE_MS = 10 * 60_000;

export async function throughput(
  options: Pick<WorldOptions, 'temporalCluster' | 's3Server' | 'workers' | 'say'>,
): Promise<string> {
  const { say, workers } = options;
  return inScope(async () => {
    const world = await startWorld({
      ...options,
      gateways: 1,
      // Each worker takes at most one third of the total limit at once.
      env: { REGULATOR_CONCURRENCY: String(CONCURRENCY) },
    });
    const observer = await closing(openObserver(world));
    const nextId = createProductIds();
    world.simulator.simulation.behaviour.latency_ms = LATENCY_MS;
    const rates: number[] = [];
    for (const part of world.workers) await part.stop();
    for (const part of world.workers) {
      await part.start();
      const inserted = async () => {
        const [row] = await observer.sql<{ n: number }>(
          `select count(*)::int as n from submission where status = 'regulator_inserted'`,
        );
        return row?.n ?? 0;
      };
      const before = await inserted();
      const zip = ordinary(nextId, PRODUCTS);
      const answer = await upload(world, { clientId: 'client', zip, timeoutMs: PATIENCE_MS });
      if (answer?.status !== 200) throw new Error(`the upload was answered ${answer?.status ?? 'nothing'}`);
      const began = performance.now();
      const done = await inserted();
      await eventually(async () => (await inserted()) >= before + PRODUCTS, PATIENCE_MS);
      rates.push((before + PRODUCTS - done) / ((performance.now() - began) / 1000));
      say(`${rates.length} of ${workers} workers: measured`);
    }
    const table = new Table({
      head: ['workers', 'products per second, against one worker'],
      style: { head: [], border: [] },
    });
    for (const [index, rate] of rates.entries()) table.push([index + 1, (rate / (rates[0] ?? 1)).toFixed(2)]);
    return table.toString();
  });
}
