/**
 * `npm run test:cluster`: the service past one machine. Temporal as the real server, two nodes on PostgreSQL; two gateways
 * behind a proxy; three workers. Each part is ended once while clients upload, then all are restarted one after the other;
 * afterwards everything is looked at as after chaos (test/chaos/checks.ts). Then what one, two and three workers get done.
 */
import { Command, Option } from 'commander';
import { announce, fail } from '../../src/processes/console.ts';
import { chaos, GATEWAYS, WORKERS } from '../chaos/chaos.ts';
import { SHORT } from '../chaos/faults.ts';
import { holds, reportOf } from '../chaos/report.ts';
import { findTemporalPrograms } from '../support/services/temporal-cluster.ts';
import type { WorldOptions } from '../support/services/world.ts';
import { clusterFaults } from './faults.ts';
import { throughput } from './throughput.ts';

const NODES = 2;
const SEED = 1;
const PATIENCE_MS = 10 * 60_000;

const { only } = new Command('test:cluster')
  .description('Ends with 1 and a list of what was lost or doubled, with 2 where a program is missing.')
  .addOption(new Option('--only <part>', 'half of it').choices(['faults', 'throughput']))
  .allowExcessArguments(false)
  .parse()
  .opts<{ only?: 'faults' | 'throughput' }>();

try {
  const programs = await findTemporalPrograms();
  if (programs === null) {
    announce(
      'The Temporal server is not on this machine: test/support/services/temporal-cluster.ts says how to make it.',
    );
    process.exit(2);
  }
  const world = { temporalCluster: { programs, nodes: NODES } };
  const isWhole = only === 'throughput' || (await survivesFaults(world));
  if (only !== 'faults') announce(await throughput({ ...world, workers: WORKERS, say: announce }));
  process.exit(isWhole ? 0 : 1);
} catch (error) {
  fail(error);
}

async function survivesFaults(world: Pick<WorldOptions, 'temporalCluster'>): Promise<boolean> {
  // One at a time: the other of its kind does the work.
  const plan = clusterFaults({ gateways: GATEWAYS, workers: WORKERS, nodes: NODES });
  const result = await chaos({
    ...{ seed: SEED, clients: 4, imports: 24, products: [4, 12], durations: SHORT, patienceMs: PATIENCE_MS },
    ...{ faults: plan.length, plan, atOnce: 1, kinds: ['kill -9', 'rolling restart'], world },
    waitForGateways: false,
    say: announce,
  });
  announce(reportOf(result));
  return holds(result);
}
