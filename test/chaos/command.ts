/** `npm run prove -- chaos`: injects faults of all kinds. Nothing may be lost or doubled. */
import { Command, InvalidArgumentError } from 'commander';
import { announce, fail } from '../../src/processes/shared/program.ts';
import { chaos } from './chaos.ts';
import { FAULT_KINDS, LONG, SHORT } from './faults.ts';
import { holds, reportOf } from './report.ts';

function whole(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}

const EACH_KIND_ONCE = Object.keys(FAULT_KINDS).length;

const given = new Command('chaos')
  .description(
    'Kills, stops, cuts off and fills up what the service consists of while clients upload. Ends with 1 and a list of what was lost or doubled.',
  )
  .option('--faults <n>', 'how many', whole)
  .option('--imports <n>', 'during them', whole)
  .option('--clients <n>', 'that upload', whole, 5)
  .option(
    '--seed <n>',
    'the same seed, the same packages and faults; by default another one every time',
    whole,
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
    patienceMs: (given.short ? 3 : 12) * 60_000,
    waitForGateways: !given.short,
    say: announce,
  });
  announce(reportOf(result));
  process.exit(holds(result) ? 0 : 1);
} catch (error) {
  fail(error);
}
