/**
 * `npm run prove -- cluster`: the service past one machine. Temporal as the real server, two nodes on PostgreSQL; the archive on
 * an S3 server; two gateways behind a proxy; three workers. Each part is ended once while clients upload, the S3 server until
 * an upload has been put off for it, then gateways, workers and nodes are restarted one after the other; afterwards
 * everything is looked at as after chaos (test/chaos/checks.ts). Then workers and a gateway are scaled in to one and out again, twice,
 * while 2,000 products are inserted, with the same checks. Then what one, two and three workers get done.
 */

import { Command, Option } from 'commander';
import { announce, fail } from '../../src/processes/shared/program.ts';
import { createRandom } from '../../tools/package-generator/random.ts';
import { type ChaosOptions, chaos, GATEWAYS, reportOf, WORKERS } from '../chaos/chaos.ts';
import { openObserver } from '../chaos/facts.ts';
import { type Fault, SHORT, type Target } from '../chaos/faults.ts';
import { createProductIds, ordinary, upload } from '../overload/flood.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { closing, inScope } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { holds, table } from '../support/proof.ts';
import { findS3Servers } from '../support/s3-server.ts';
import { Unavailable } from '../support/script.ts';
import { startWorld, type WorldOptions } from '../support/starters/world.ts';
import { temporalPrograms } from '../support/temporal-cluster.ts';

const NODES = 2;
const SEED = 1;
const PATIENCE_MS = 10 * 60_000;
/** Seconds between the end of one fault and the beginning of the next. */
const PAUSE_S = 5;
/** Workers that are scaled in to one. */
const SCALED_WORKERS = 4;
/** Products that are inserted for the throughput of a number of workers. */
const PRODUCTS = 150;
/** Latency of each call: workers wait more than they compute, as with a real regulator. */
const LATENCY_MS = 250;
/** Limit of concurrent calls, for any number of workers. */
const CONCURRENCY = 48;

const PARTS = ['faults', 'scaling', 'throughput'] as const;

const { only } = new Command('cluster')
  .description('Ends with 1 and a list of what was lost or doubled, with 2 where a program is missing.')
  .addOption(new Option('--only <part>', 'one part of it').choices(PARTS))
  .allowExcessArguments(false)
  .parse()
  .opts<{ only?: (typeof PARTS)[number] }>();

try {
  // The contents of this S3 server are visible from outside, and can be dated back.
  const s3Server = (await findS3Servers(CACHE_DIRECTORY)).find(({ name }) => name === 'versitygw');
  if (s3Server === undefined)
    throw new Unavailable(
      'The Versity gateway is not on this machine: test/support/s3-server.ts says how to make it.',
    );
  const programs = await temporalPrograms(announce);
  const world = { temporalCluster: { programs, nodes: NODES }, s3Server };
  const isPart = (part: (typeof PARTS)[number]) => only === undefined || only === part;
  const survived: boolean[] = [];
  if (isPart('faults'))
    survived.push(await survives(clusterFaults(), { world, imports: 24, products: [4, 12] }));
  if (isPart('scaling'))
    survived.push(
      await survives(scaling(), {
        world: { ...world, workers: SCALED_WORKERS },
        imports: 42,
        products: [45, 50],
        atOnce: SCALED_WORKERS,
      }),
    );
  if (isPart('throughput')) announce(await throughput({ ...world, workers: WORKERS, say: announce }));
  process.exit(survived.every(Boolean) ? 0 : 1);
} catch (error) {
  if (!(error instanceof Unavailable)) fail(error);
  announce(error.message);
  process.exit(2);
}

async function survives(
  plan: Fault[],
  load: Pick<ChaosOptions, 'world' | 'imports' | 'products' | 'atOnce'>,
): Promise<boolean> {
  const result = await chaos({
    seed: SEED,
    clients: 4,
    durations: SHORT,
    patienceMs: PATIENCE_MS,
    faults: plan.length,
    plan,
    // One at a time: the other process of its kind does the work.
    atOnce: 1,
    waitForGateways: false,
    say: announce,
    ...load,
  });
  announce(reportOf(result));
  return holds(result.checks);
}

/** Each part ends once, then our parts and Temporal's are replaced one by one. */
function clusterFaults(): Fault[] {
  const numbered = (role: 'Temporal' | 'gateway' | 'worker', count: number) =>
    Array.from({ length: count }, (_, index): Target => `${role} ${index}`);
  const targets = [
    ...numbered('Temporal', NODES),
    ...numbered('gateway', GATEWAYS),
    ...numbered('worker', WORKERS),
  ];
  const random = createRandom(0, 'cluster');
  const common = { seconds: 0, pauseSeconds: PAUSE_S, random };
  return [
    ...targets.map((target): Fault => ({ ...common, kind: 'kill -9', target })),
    { ...common, kind: 'S3 away until an upload fails', target: null },
    { ...common, kind: 'rolling restart', target: null },
  ];
}

/** The workers go one after the other, and come back in reverse, with a gateway in between; twice. */
function scaling(): Fault[] {
  const random = createRandom(0, 'scaling');
  const gone = (target: Target, seconds: number): Fault => ({
    kind: 'scaled in and out',
    target,
    seconds,
    pauseSeconds: PAUSE_S,
    random,
  });
  const once = [gone('worker 3', 40), gone('worker 2', 30), gone('worker 1', 20), gone('gateway 1', 10)];
  return [...once, ...once];
}

/** Throughput of one, two and more workers on a cluster, as ratios to one. */
async function throughput(
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
    const first = rates[0] ?? 1;
    return table([
      ['workers', 'products per second, against one worker'],
      ...rates.map((rate, index): [string, string] => [`${index + 1}`, (rate / first).toFixed(2)]),
    ]);
  });
}
