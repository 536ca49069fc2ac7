/**
 * `npm run prove -- cluster`: the service past one machine. Temporal as the real server, two nodes on PostgreSQL; the archive on
 * an S3 server; two gateways behind a proxy; three workers. Each part is ended once while clients upload, the S3 server until
 * an upload has been put off for it, then gateways, workers and nodes are restarted one after the other; afterwards
 * everything is looked at as after chaos (test/chaos/checks.ts). Then what one, two and three workers get done.
 */
import { Command, Option } from 'commander';
import { announce, fail } from '../../src/processes/shared/program.ts';
import { chaos, GATEWAYS, WORKERS } from '../chaos/chaos.ts';
import { SHORT } from '../chaos/faults.ts';
import { holds, reportOf } from '../chaos/report.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { findS3Servers } from '../support/s3-server.ts';
import type { WorldOptions } from '../support/starters/world.ts';
import { findTemporalPrograms } from '../support/temporal-cluster.ts';
import { clusterFaults } from './faults.ts';
import { throughput } from './throughput.ts';

const NODES = 2;
const SEED = 1;
const PATIENCE_MS = 10 * 60_000;

const { only } = new Command('cluster')
  .description('Ends with 1 and a list of what was lost or doubled, with 2 where a program is missing.')
  .addOption(new Option('--only <part>', 'half of it').choices(['faults', 'throughput']))
  .allowExcessArguments(false)
  .parse()
  .opts<{ only?: 'faults' | 'throughput' }>();

try {
  const programs = await findTemporalPrograms();
  if (programs === null)
    announce(
      'The Temporal server is not on this machine: test/support/temporal-cluster.ts says how to make it.',
    );
  // The contents of this S3 server are visible from outside, and can be dated back.
  const s3Server = (await findS3Servers(CACHE_DIRECTORY)).find(({ name }) => name === 'versitygw');
  if (s3Server === undefined)
    announce('The Versity gateway is not on this machine: test/support/s3-server.ts says how to make it.');
  if (programs === null || s3Server === undefined) process.exit(2);
  const world = { temporalCluster: { programs, nodes: NODES }, s3Server };
  const isWhole = only === 'throughput' || (await survivesFaults(world));
  if (only !== 'faults') announce(await throughput({ ...world, workers: WORKERS, say: announce }));
  process.exit(isWhole ? 0 : 1);
} catch (error) {
  fail(error);
}

async function survivesFaults(world: Pick<WorldOptions, 'temporalCluster' | 's3Server'>): Promise<boolean> {
  // One at a time: the other process of its kind does the work.
  const plan = clusterFaults({ gateways: GATEWAYS, workers: WORKERS, nodes: NODES });
  const result = await chaos({
    seed: SEED,
    clients: 4,
    imports: 24,
    products: [4, 12],
    durations: SHORT,
    patienceMs: PATIENCE_MS,
    faults: plan.length,
    plan,
    atOnce: 1,
    world,
    waitForGateways: false,
    say: announce,
  });
  announce(reportOf(result));
  return holds(result);
}
