/** Brings the database schema up to date. The only process that changes it. */
import { InvalidConfiguration } from '../config.ts';
import { migrate } from '../database/index.ts';
import { configOfThisProcess } from '../processes/environment.ts';

try {
  const run = await migrate(configOfThisProcess().database.url);
  process.stdout.write(run.length === 0 ? 'The schema is up to date.\n' : `Migrated: ${run.join(', ')}\n`);
} catch (error) {
  process.stderr.write(
    `${error instanceof InvalidConfiguration ? error.message : `Migrating failed: ${(error as Error).message}`}\n`,
  );
  process.exit(1);
}
