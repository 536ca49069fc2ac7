/**
 * Migrates the database schema. No other process changes it. With `--wait`, the process changes nothing and ends once
 * another one has migrated. Gateways and workers of a new version start after that.
 */

import { configOfThisProcess } from '../config/environment.ts';
import { InvalidConfiguration } from '../config/index.ts';
import { awaitMigrated } from '../database/await-migrated.ts';
import { migrate } from '../database/index.ts';
import { readArguments } from './shared/arguments.ts';

const { wait } = readArguments({
  command: 'npm run migrate --',
  about: 'Brings the schema of the database up to date.',
  options: { wait: 'change nothing, and end once another process has done it' },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

async function run(): Promise<void> {
  const { url } = configOfThisProcess().database;
  if (wait) {
    await awaitMigrated(url, (reason) => say(`Waiting for the schema: ${reason}`));
    return void say('The schema is up to date.');
  }
  const migrated = await migrate(url);
  say(migrated.length === 0 ? 'The schema is up to date.' : `Migrated: ${migrated.join(', ')}`);
}

try {
  await run();
} catch (error) {
  process.stderr.write(
    `${error instanceof InvalidConfiguration ? error.message : `Migrating failed: ${(error as Error).message}`}\n`,
  );
  process.exit(1);
}
