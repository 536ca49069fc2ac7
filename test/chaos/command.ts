/** `npm run prove -- chaos`: injects faults of all kinds. Nothing may be lost or doubled. */
import { Command } from 'commander';
import { announce, fail } from '../../src/processes/shared/program.ts';
import { holds, wholeNumber } from '../support/proof.ts';
import { chaos, reportOf } from './chaos.ts';
import { FAULT_KINDS, LONG, SHORT } from './faults.ts';

const EACH_KIND_ONCE = Object.keys(FAULT_KINDS).length;

const given = new Command('chaos')
  .description(
    'Kills, stops, cuts off and fills up what the service consists of while clients upload. Ends with 1 and a list of what was lost or doubled.',
  )
  .option('--faults <n>', 'how many', wholeNumber)
  .option('--imports <n>', 'during them', wholeNumber)
  .option('--clients <n>', 'that upload', wholeNumber, 5)
  .option(
    '--seed <n>',
    'the same seed, the same packages and faults; by default another one every time',
    wholeNumber,
  )
  .option('--short', `${EACH_KIND_ONCE} faults, one of each kind, over 6 imports`)
  .showHelpAfterError('(--help shows all options)')
  .allowExcessArguments(false)
  .parse()
  .opts<{ faults?: number; imports?: number; clients: number; seed?: number; short?: true }>();

try {
  const seed = given.seed ?? Math.floor(Date.now() / 1000);
  announce(`seed ${seed}`);
  const result = await chaos({
    seed,
    clients: given.clients,
    faults: given.faults ?? (given.short ? EACH_KIND_ONCE : 200),
    imports: given.imports ?? (given.short ? 6 : 50),
    products: given.short ? [3, 6] : [4, 16],
    durations: given.short ? SHORT : LONG,
    maxWaitMs: (given.short ? 3 : 12) * 60_000,
    waitForGateways: !given.short,
    say: announce,
  });
  announce(reportOf(result));
  process.exit(holds(result.checks) ? 0 : 1);
} catch (error) {
  fail(error);
}
