/** `npm run demo`: starts the whole stack, imports one real package, and shows the results. */
import { Command } from 'commander';
import { announce } from '../src/processes/shared/console.ts';
import { runInForeground } from '../src/processes/whole-service/foreground.ts';
import { runDemoImport } from './demo-import.ts';

const { exit } = new Command('demo')
  .description('Starts the service, imports a package and shows what came of it.')
  .option('--exit', 'end once the summary e-mail has come')
  .parse()
  .opts<{ exit?: boolean }>();

// Logs are limited to warnings, since the demo prints its own progress.
await runInForeground(
  async (service, stopped) => {
    const demo = runDemoImport(service).then(() => 'done');
    const end = await Promise.race([demo, stopped.then(() => 'stopped')]);
    if (exit || end === 'stopped') return;
    announce('\nThe service stays up. Stop it with Ctrl-C.');
    await stopped;
  },
  { LOG_LEVEL: 'warn' },
);
