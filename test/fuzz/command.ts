/** `npm run prove -- fuzz`: reads packages that went wrong in every way, for some time, and says what does not hold. */
import { Command } from 'commander';
import { announce, fail } from '../../src/processes/shared/program.ts';
import { wholeNumber } from '../support/proof.ts';
import { fuzz } from './fuzz.ts';

/** For the package of a failing run. */
const DIRECTORY = '.data/fuzz';

const given = new Command('fuzz')
  .description('Reads mutated packages. Ends with 1 and a package to reproduce when something does not hold.')
  .option('--seconds <n>', 'for how long', wholeNumber, 60)
  .option('--seed <n>', 'the same seed, the same packages; by default another one every time', wholeNumber)
  .option('--run <n>', 'only the run of this number, to reproduce it', wholeNumber)
  .showHelpAfterError('(--help shows all options)')
  .allowExcessArguments(false)
  .parse()
  .opts<{ seconds: number; seed?: number; run?: number }>();

try {
  const seed = given.seed ?? Date.now();
  announce(`seed ${seed}`);
  const { runs, refused, byKind, seconds, failure } = await fuzz(
    {
      seed,
      seconds: given.seconds,
      directory: DIRECTORY,
      first: given.run ?? 0,
      runs: given.run === undefined ? null : 1,
    },
    announce,
  );
  const kinds = Object.entries(byKind).map(([kind, n]) => `${n} ${kind}`);
  const perSecond = (runs / seconds).toFixed(1);
  announce(`${runs} runs in ${seconds.toFixed(0)} s (${perSecond} per second): ${kinds.join(', ')}`);
  announce(`${refused} packages refused as a whole, the others read`);
  if (failure) {
    const file = failure.file === null ? '' : `\nIts package: ${failure.file}`;
    const again = `npm run prove -- fuzz --seed ${seed} --run ${failure.run}`;
    fail(`Run ${failure.run} failed: ${failure.reason}${file}\nAgain: ${again}`);
  }
} catch (error) {
  fail(error);
}
