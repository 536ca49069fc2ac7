/**
 * `npm run prove -- cluster`: the service past one machine. Temporal as the real server, two nodes on PostgreSQL; the archive on
 * an S3 server; two gateways behind a proxy; three workers. Each part is ended once while clients upload, the S3 server
 * until an upload has been put off for it, then gateways, workers and nodes are restarted one after the other;
 * afterwards everything is looked at as after chaos (test/chaos/checks.ts). Then workers and a gateway are scaled in to
 * one and out again, twice, while 2,000 products are inserted, with the same checks.
 */

import { Command, Option } from 'commander';
import { announce, fail } from '../../src/processes/shared/program.ts';
import { createRandom } from '../../tools/package-generator/random.ts';
import { type ChaosOptions, chaos, GATEWAYS, reportOf, WORKERS } from '../chaos/chaos.ts';
import { type Fault, SHORT, type Target } from '../chaos/faults.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { holds } from '../support/proof.ts';
import { findS3Servers } from '../support/s3-server.ts';
import { Unavailable } from '../support/script.ts';
import { temporalPrograms } from '../support/temporal-cluster.ts';

const NODES = 2;
const SEED = 1;
const MAX_WAIT_MS = 10 * 60_000;
/** Seconds between the end of one fault and the beginning of the next. */
const PAUSE_S = 5;
/** Workers that are scaled in to one. */
const SCALED_WORKERS = 4;

const PARTS = ['faults', 'scaling'] as const;

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
    maxWaitMs: MAX_WAIT_MS,
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
