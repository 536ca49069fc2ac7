/** The composition root: from the configuration to running parts. Nothing else constructs anything. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createImportActivities, createInsertActivities } from '../../activities/index.ts';
import { createLocalStorage } from '../archive/local-storage.ts';
import type { ArchiveStorage } from '../archive/storage.ts';
import type { Config } from '../config.ts';
import { type Database, openDatabase } from '../database/index.ts';
import { createGateway } from '../gateway/app.ts';
import { createTokenKeys } from '../gateway/token-keys.ts';
import { listen } from '../http/server.ts';
import { createMailer } from '../mail/mailer.ts';
import { createProductParser } from '../products/parser-pool.ts';
import { createRegulatorClient } from '../regulator/http-client.ts';
import { createRegulatorSessions } from '../regulator/session.ts';
import { connectClient, connectWorker } from '../temporal/connection.ts';
import { createImportRuns } from '../temporal/import-runs.ts';
import { createInsertRuns } from '../temporal/insert-runs.ts';
import { temporalReadiness } from '../temporal/readiness.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createImportWorker, createInsertWorker } from '../temporal/workers.ts';
import { loadWorkflowBundle } from '../temporal/workflow-bundle.ts';

export interface RunningPart {
  close(): Promise<void>;
}

export async function startGateway(config: Config, logger: Logger): Promise<RunningPart & { url: string }> {
  const database = await openConfiguredDatabase(config);
  const storage = openStorage(config);
  const { client, connection } = await connectClient(config.temporal);
  const attributes = await registerSearchAttributes(connection, config.temporal.namespace, (reason) =>
    logger.warn({ reason }, 'search attributes cannot be registered; workflows start without them'),
  );
  const { issuer, jwksUrl, audience, permissionsClaim, embedded } = config.auth;
  const app = createGateway({
    database,
    storage,
    sessions: createSessions(config, database),
    importRuns: createImportRuns(client, attributes),
    runs: createInsertRuns(client, attributes),
    tokens: {
      issuer,
      audience,
      permissionsClaim,
      keys: createTokenKeys(jwksUrl === null ? { issuer } : { jwksUrl }),
    },
    logger,
    basePath: config.gateway.basePath,
    tokenUrl: embedded ? `${issuer}/oauth2/token` : null,
    limits: {
      maxUploadBytes: config.archive.maxUploadBytes,
      uploadIdleMs: config.archive.uploadIdleSeconds * 1000,
    },
    defaultRecipient: config.mail.defaultRecipient,
    readiness: {
      database: () => database.ping(),
      storage: () => storage.ping(),
      ...temporalReadiness(connection, config.temporal.namespace),
    },
  });
  const server = await listen(app, config.gateway);
  return {
    url: `http://${config.gateway.host}:${server.port}${config.gateway.basePath}`,
    async close() {
      await server.close(config.shutdownGraceMs);
      await connection.close();
      await database.close();
    },
  };
}

/** The workers of the configured roles. `failed` rejects when one of them ends by itself. */
export async function startWorkers(
  config: Config,
  logger: Logger,
): Promise<RunningPart & { failed: Promise<never> }> {
  installRuntime(logger);
  const database = await openConfiguredDatabase(config);
  const storage = openStorage(config);
  const parser = createProductParser({ threads: config.worker.parserThreads });
  const mailer = createMailer(config.mail);
  const { client, connection: clientConnection } = await connectClient(config.temporal);
  const attributes = await registerSearchAttributes(clientConnection, config.temporal.namespace, () => {});
  const connection = await connectWorker(config.temporal);
  const setup = {
    connection,
    namespace: config.temporal.namespace,
    workflowBundle: await loadWorkflowBundle(config.cacheDir),
    identity: `${process.pid}@${hostname()}`,
    shutdownGraceMs: config.shutdownGraceMs,
  };
  const runs = createInsertRuns(client, attributes);
  const create = {
    'package-import': () => {
      const mailDomain = config.mail.from.split('@')[1] ?? 'localhost';
      const activities = createImportActivities({ database, storage, parser, mailer, mailDomain, runs });
      return createImportWorker({ ...setup, activities });
    },
    'regulator-insert': () => {
      const regulator = createRegulatorClient(config.regulator);
      const sessions = createRegulatorSessions(regulator, database.regulatorSession);
      const activities = createInsertActivities({ database, regulator, sessions, storage, runs });
      return createInsertWorker({ ...setup, activities }, config.regulator);
    },
  };
  const workers = await Promise.all(config.worker.roles.map((role) => create[role]()));
  const runsOfWorkers = workers.map((worker) => worker.run());
  const ended = Promise.allSettled(runsOfWorkers);
  return {
    failed: Promise.all(runsOfWorkers).then(() => new Promise<never>(() => {})),
    async close() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      await connection.close();
      await clientConnection.close();
      mailer.close();
      await parser.close();
      await database.close();
    },
  };
}

export function createSessions(config: Config, database: Pick<Database, 'regulatorSession'>) {
  return createRegulatorSessions(createRegulatorClient(config.regulator), database.regulatorSession);
}

export async function openConfiguredDatabase(config: Config): Promise<Database> {
  const encryptionSecret = config.encryptionSecret ?? (await localSecret(config.dataDir));
  return openDatabase({ url: config.database.url, poolSize: config.database.poolSize, encryptionSecret });
}

function openStorage(config: Config): ArchiveStorage {
  const url = new URL(config.archive.url);
  if (url.protocol === 'file:') return createLocalStorage(fileURLToPath(url));
  throw new Error('STORAGE_URL: only file: is implemented');
}

/** Where no ENCRYPTION_SECRET is set, one of this data directory is made up and kept. */
async function localSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'encryption-secret');
  await mkdir(dataDir, { recursive: true });
  const candidate = `${path}.${process.pid}`;
  await writeFile(candidate, randomBytes(32).toString('base64'), { mode: 0o600 });
  // Linking is atomic: of several processes that start together, one makes the secret of all.
  await link(candidate, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(candidate);
  return (await readFile(path, 'utf8')).trim();
}

let runtimeInstalled = false;

/** The SDK core is one per process; it logs through our logger. */
function installRuntime(logger: Logger): void {
  if (runtimeInstalled) return;
  runtimeInstalled = true;
  const write = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: object) =>
    logger[level](meta ?? {}, message);
  Runtime.install({
    logger: {
      log: (level, message, meta) => write(level.toLowerCase() as 'info')(message, meta),
      trace: write('trace'),
      debug: write('debug'),
      info: write('debug'),
      warn: write('warn'),
      error: write('error'),
    },
    shutdownSignals: [],
  });
}
