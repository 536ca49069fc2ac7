/**
 * The parts of the service in the test's own process, for one test file. It has its own database, Temporal namespace,
 * mailbox, simulator and identity service.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, Connection, Client as TemporalClient } from '@temporalio/client';
import { type Logger, pino } from 'pino';
import { type Config, loadConfig } from '../../../src/config/index.ts';
import { type Database, openDatabase } from '../../../src/database/index.ts';
import { startGateway } from '../../../src/processes/gateway/start-gateway.ts';
import {
  startEmbeddedIdentityService,
  startEmbeddedMailbox,
  startEmbeddedRegulator,
} from '../../../src/processes/shared/embedded.ts';
import { createSessions } from '../../../src/processes/shared/parts.ts';
import { startWorkers } from '../../../src/processes/workers/start-workers.ts';
import { autoLogin } from '../../../src/trial-parts/auto-login.ts';
import {
  DEMO_CLIENT,
  type MachineClient,
} from '../../../src/trial-parts/identity-service/identity-service.ts';
import type { Mailbox } from '../../../src/trial-parts/mailbox/mailbox.ts';
import type { RunningSimulator } from '../../../src/trial-parts/regulator-simulator/simulator.ts';
import { CACHE_DIRECTORY } from '../cache-directory.ts';
import { freePortOffset } from '../free-ports.ts';
import { temporaryRoot } from '../temporary.ts';
import { createTestDatabase, runSql, temporalOfTests } from './servers.ts';

export interface TestStack {
  config: Config;
  gatewayUrl: string;
  database: Database;
  temporal: Client;
  /** Runs a statement in the stack's database. */
  sql<T>(statement: string): Promise<T[]>;
  mailbox: Mailbox;
  simulator: RunningSimulator;
  /** An access token of a client; the demo client by default. */
  token(client?: Pick<MachineClient, 'clientId' | 'clientSecret'>): Promise<string>;
  /** Logs the regulator session in again. */
  logIn(): Promise<void>;
  /** @param differing changes of the stack's worker configuration */
  startWorkers(differing?: Partial<Config['worker']>): Promise<{ close(): Promise<void> }>;
  stop(): Promise<void>;
}

export interface StackOptions {
  env?: Record<string, string>;
  /** Configuration values without a variable. */
  change?(config: Config): Partial<Config>;
  /** Without an active regulator session. */
  loggedOut?: boolean;
  /** Without workers; the test starts them itself. */
  withoutWorkers?: boolean;
  /** A migrated database on another server than that of the tests. */
  databaseUrl?: string;
  /** Turns the database URL into the one for gateway and workers: a line that the test can cut. */
  lineTo?(databaseUrl: string): Promise<string>;
}

const ENCRYPTION_SECRET = 'a secret of the tests only';

export async function startTestStack({
  env = {},
  change = () => ({}),
  loggedOut,
  withoutWorkers,
  databaseUrl,
  lineTo,
}: StackOptions = {}): Promise<TestStack> {
  const directory = await mkdtemp(join(temporaryRoot(), 'package-import-stack-'));
  const { url: ownUrl, number } = await createTestDatabase();
  const url = databaseUrl ?? ownUrl;
  const configured = loadConfig({
    DATA_DIR: directory,
    DATABASE_URL: (await lineTo?.(url)) ?? url,
    DATABASE_POOL_SIZE: '6',
    TEMPORAL_ADDRESS: temporalOfTests(),
    TEMPORAL_NAMESPACE: `test-${number}`,
    ENCRYPTION_SECRET,
    SHUTDOWN_GRACE_SECONDS: '1',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    XDG_CACHE_HOME: join(CACHE_DIRECTORY, '..'),
    PORT_OFFSET: String(await freePortOffset()),
    ...env,
  });
  const config = { ...configured, ...change(configured) };
  const logger: Logger = pino({ level: config.logLevel });
  const mailbox = await startEmbeddedMailbox(config);
  const identityService = await startEmbeddedIdentityService(config);
  const simulator = await startEmbeddedRegulator(config);
  const database = await openDatabase({ url, poolSize: 4, encryptionSecret: ENCRYPTION_SECRET });
  const connection = await Connection.connect({ address: temporalOfTests() });
  const logIn = () => autoLogin(createSessions(config, database), config.regulator.url);
  if (!loggedOut) await logIn();
  const workers = new Set<{ close(): Promise<void> }>();
  const startMoreWorkers = async (differing: Partial<Config['worker']> = {}) => {
    const started = await startWorkers({ ...config, worker: { ...config.worker, ...differing } }, logger);
    workers.add(started);
    return {
      async close() {
        workers.delete(started);
        await started.close();
      },
    };
  };
  if (!withoutWorkers) await startMoreWorkers();
  const gateway = await startGateway(config, logger);
  return {
    config,
    gatewayUrl: gateway.url,
    database,
    temporal: new TemporalClient({ connection, namespace: config.temporal.namespace }),
    mailbox,
    simulator,
    sql: (statement) => runSql(url, statement),
    logIn,
    startWorkers: startMoreWorkers,
    token: (client = DEMO_CLIENT) => fetchToken(config, client),
    async stop() {
      await gateway.close();
      await Promise.all([...workers].map((started) => started.close()));
      await connection.close();
      await database.close();
      await Promise.all([simulator.close(), identityService.close(), mailbox.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function fetchToken(
  { auth }: Config,
  { clientId, clientSecret }: Pick<MachineClient, 'clientId' | 'clientSecret'>,
) {
  const response = await fetch(`${auth.issuer}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
