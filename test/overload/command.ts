/** `npm run prove -- overload`: everybody asks for too much, and others hardly notice. */
import { Command, InvalidArgumentError } from 'commander';
import { announce, fail } from '../../src/processes/shared/console.ts';
import { overload } from './overload.ts';
import { holds, reportOf } from './verdict.ts';

function whole(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}

const FULL = { uploads: 200, waiting: 5_000, dryRuns: 40, directories: 8 };
const SHORT = { uploads: 40, waiting: 300, dryRuns: 10, directories: 2 };

const given = new Command('overload')
  .description(
    'Floods the service and looks after a client who does not. Ends with 1 and a list of what does not hold.',
  )
  .option('--uploads <n>', `at once; ${FULL.uploads}`, whole)
  .option('--flooders <n>', 'clients among whom they are shared', whole, 4)
  .option('--waiting <n>', `inserts that wait meanwhile; ${FULL.waiting}`, whole)
  .option('--dry-runs <n>', `at once; ${FULL.dryRuns}`, whole)
  .option('--directories <n>', `ZIPs of 95,000 long-named empty entries; ${FULL.directories}`, whole)
  .option('--gateways <n>', 'processes', whole, 2)
  .option('--workers <n>', 'processes', whole, 2)
  .option(
    '--short',
    `for small machines: ${SHORT.uploads} uploads, ${SHORT.waiting} inserts, ${SHORT.dryRuns} dry runs, ${SHORT.directories} such ZIPs`,
  )
  .showHelpAfterError('(--help shows all options)')
  .allowExcessArguments(false)
  .parse()
  .opts<Partial<typeof FULL> & { flooders: number; gateways: number; workers: number; short?: true }>();

try {
  const { directories, short, ...sizes } = { ...(given.short ? SHORT : FULL), ...given };
  const seen = await overload({
    ...sizes,
    // The numbers of issue 11.
    hostile: { products: 60, references: 45_000, attachments: 70_000, directories, entries: 95_000 },
    patienceMs: (short ? 5 : 30) * 60_000,
    say: announce,
  });
  announce(reportOf(seen));
  process.exit(holds(seen) ? 0 : 1);
} catch (error) {
  fail(error);
}
