/**
 * Migrates the database schema. No other process changes it. With `--wait`, the process changes nothing and ends once
 * another one has migrated. Gateways and workers of a new version start after that.
 */
import { configOfThisProcess, InvalidConfiguration } from '../config/index.ts';
import { awaitMigrated, migrate } from '../database/migrations.ts';
import { readArguments } from './shared/program.ts';

const { wait } = readArguments({
  command: 'npm run migrate --',
  about: 'Migrates the schema of the database.',
  options: { wait: 'change nothing, and wait until another process has migrated it' },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

async function run(): Promise<void> {
  const { url } = configOfThisProcess('migration').database;
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
    `${error instanceof InvalidConfiguration ? error.message : `The migration failed: ${(error as Error).message}`}\n`,
  );
  process.exit(1);
}
