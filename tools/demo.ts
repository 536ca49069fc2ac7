/** `npm run demo`: the whole stack, one real package through it, and everything that came of it. */
import { Command } from 'commander';
import { announce, fail, untilStopped } from '../src/processes/console.ts';
import { configOfThisProcess } from '../src/processes/environment.ts';
import { startStack } from '../src/processes/stack.ts';
import { runDemoImport } from './demo-import.ts';

const { exit } = new Command('demo')
  .description('Starts the service, imports a package and shows what came of it.')
  .option('--exit', 'end once the summary e-mail has come')
  .parse()
  .opts<{ exit?: boolean }>();

try {
  const config = configOfThisProcess();
  // The demo tells its own story: of the logs only what is worth a warning.
  const stack = await startStack(config, { LOG_LEVEL: 'warn', ...process.env }, announce);
  let interrupted = false;
  const stopped = untilStopped().then(() => {
    interrupted = true;
  });
  try {
    await Promise.race([runDemoImport(stack), stopped]);
    if (!exit && !interrupted) {
      announce('\nThe service stays up. Stop it with Ctrl-C.');
      await stopped;
    }
  } finally {
    announce('Stopping …');
    await stack.stop();
  }
  process.exit(0);
} catch (error) {
  fail(error);
}
