/**
 * Migrates the database schema. No other process changes it. With `--wait`, the process changes nothing and ends once
 * another one has migrated. Gateways and workers of a new version start after that.
 */
import { configOfThisProcess, InvalidConfiguration } from '../config/index.ts';
import { awaitMigrated, migrate } from '../database/migrations.ts';
import { announce, fail, readArguments } from './shared/program.ts';

const { wait } = readArguments({
  command: 'npm run migrate --',
  about: 'Migrates the schema of the database.',
  options: { wait: 'change nothing, and wait until another process has migrated it' },
});

try {
  const { url } = configOfThisProcess('migration').database;
  if (wait) await awaitMigrated(url, (reason) => announce(`Waiting for the schema: ${reason}`));
  const migrated = wait ? [] : await migrate(url);
  announce(migrated.length === 0 ? 'The schema is up to date.' : `Migrated: ${migrated.join(', ')}`);
} catch (error) {
  fail(error instanceof InvalidConfiguration ? error : `The migration failed: ${(error as Error).message}`);
}
