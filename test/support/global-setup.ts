/** Starts one PostgreSQL and one Temporal server for the whole test run, on free ports, and stops them at its end. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/database/migrations.ts';
import { startEmbeddedServersProcess } from '../../src/processes/whole-service/embedded-servers.ts';
import { loadWorkflowBundle } from '../../src/temporal/workflow-bundle.ts';
import { CACHE_DIRECTORY } from './cache-directory.ts';
import { freePorts } from './free-ports.ts';

/** For recording the statements of a release (test/database/record-release.ts). */
const STATEMENT_STATISTICS = 'shared_preload_libraries=pg_stat_statements';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    temporalAddress: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'package-import-test-'));
  await chmod(directory, 0o755); // PostgreSQL runs as another user, who needs access.
  const [postgresPort = 0, temporalPort = 0] = await freePorts(2);
  const credentials = { user: 'package_import', password: 'package_import' };
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const embeddedServers = await startEmbeddedServersProcess(
    {
      cacheDir: CACHE_DIRECTORY,
      postgres: {
        directory: join(directory, 'postgres'),
        host: '127.0.0.1',
        port: postgresPort,
        ...credentials,
        databases: ['template_package_import'],
        flags: ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', STATEMENT_STATISTICS].flatMap(
          (setting) => ['-c', setting],
        ),
      },
      temporal: {
        host: '127.0.0.1',
        port: temporalPort,
        uiPort: null,
        namespaces: [],
        databaseFile: null,
        pidFile: join(directory, 'temporal.pid'),
      },
    },
    say,
  );
  const server = `postgresql://${credentials.user}:${credentials.password}@127.0.0.1:${postgresPort}`;
  await migrate(`${server}/template_package_import`);
  await createSequences(`${server}/postgres`);
  await loadWorkflowBundle(CACHE_DIRECTORY);
  project.provide('postgresUrl', server);
  project.provide('temporalAddress', `127.0.0.1:${temporalPort}`);
  return async () => {
    await embeddedServers.close();
    await rm(directory, { recursive: true, force: true });
  };
}

/** Creates the sequences that number databases and namespaces. Done once here: parallel "create if not exists" fails. */
async function createSequences(clientUrl: string): Promise<void> {
  const orm = await MikroORM.init({ clientUrl, discovery: { warnWhenNoEntities: false }, entities: [] });
  try {
    await orm.em.getConnection().execute('create sequence test_database; create sequence test_namespace');
  } finally {
    await orm.close(true);
  }
}
