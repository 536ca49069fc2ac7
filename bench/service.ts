/** The whole service of one checkout, started as by `npm start`. The bench uses only its interfaces. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, Connection, Client as TemporalClient } from '@temporalio/client';
import { type ApiClient, createApiClient } from '../cli/client/api-client.ts';
import { type PackageImports, packageImportsOf } from '../cli/client/package-imports.ts';
import { type Config, loadConfig } from '../src/config/index.ts';
import { packageImportWorkflowId } from '../src/domain/ids.ts';
import { gatewayUrlOf } from '../src/processes/whole-service/addresses.ts';
import { DEMO_CLIENT } from '../src/trial-parts/identity-service/identity-service.ts';
import { newServiceSettings } from '../test/support/service-settings.ts';
import { startProgram } from '../test/support/start-program.ts';
import type { Checkout } from './checkout.ts';
import { openServiceDatabase, type ServiceDatabase } from './database.ts';
import { createPackages, type PackageChoices, type Packages } from './packages.ts';

export interface Service extends Packages {
  config: Config;
  gatewayUrl: string;
  /** Directory for a measure; removed after the stop. */
  directory: string;
  /** Process ID of the root process. */
  pid: number;
  client: ApiClient;
  imports: PackageImports;
  database: ServiceDatabase;
  temporal: Client;
  /** Resolves when every insert of an import has ended. Asks Temporal, so the service does no work for it. */
  ended(importId: number): Promise<void>;
  /** Number of inserted products of an import. */
  inserted(importId: number): Promise<number>;
  stop(): Promise<void>;
}

export interface ServiceOptions extends PackageChoices {
  /** Environment variables of the service. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Makes PostgreSQL count statements, which takes a second start. */
  countStatements?: boolean | undefined;
}

/** @throws Error with its output when it does not start; its directory is removed at the end of the bench */
export async function startService({ root }: Checkout, options: ServiceOptions = {}): Promise<Service> {
  const { env, directory } = await newServiceSettings({
    LOG_LEVEL: 'silent',
    REGULATOR_RATE_PER_SECOND: '0',
    ...options.env,
  });
  const config = loadConfig(env);
  const path = join(root, 'src/processes/start.ts');
  // A Ctrl-C in the terminal reaches only the bench, which stops its processes.
  const start = () => startProgram(path, env, { cwd: directory, detached: true });
  let program = await start();
  let database = await openServiceDatabase(config.database.url);
  if (options.countStatements) {
    await database.loadStatementCounter();
    await database.close();
    await program.stop();
    program = await start();
    database = await openServiceDatabase(config.database.url);
  }
  const connection = await Connection.connect({ address: config.temporal.address });
  const temporal = new TemporalClient({ connection, namespace: config.temporal.namespace });
  const gatewayUrl = gatewayUrlOf(config);
  const client = createApiClient({
    gatewayUrl,
    tokenUrl: `${config.auth.issuer}/oauth2/token`,
    ...DEMO_CLIENT,
  });
  const imports = packageImportsOf(client);
  return {
    config,
    gatewayUrl,
    directory,
    pid: program.pid,
    client,
    imports,
    database,
    temporal,
    ...createPackages(directory, options),
    async ended(importId) {
      const workflowId = packageImportWorkflowId(await database.importUuid(importId));
      await temporal.workflow.getHandle(workflowId).result();
    },
    async inserted(importId) {
      return (await imports.newerSummary(importId, null)).summary.progress.regulator_inserted;
    },
    async stop() {
      await database.close();
      await program.stop();
      await rm(directory, { recursive: true, force: true });
      // Closed last: a pending call of an interrupted measure would be retried over a closed connection.
      await connection.close();
    },
  };
}
