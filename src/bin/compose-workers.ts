/** The workers of the configured roles, from the configuration to polling. */
import { hostname } from 'node:os';
import { Runtime, type Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createImportActivities, createInsertActivities } from '../../activities/index.ts';
import type { Config } from '../config.ts';
import { createMailer } from '../mail/mailer.ts';
import { createProductParser } from '../products/parser-pool.ts';
import { createRegulatorClient } from '../regulator/http-client.ts';
import { connectClient, connectWorker } from '../temporal/connection.ts';
import { createImportRuns } from '../temporal/import-runs.ts';
import { createInsertRuns } from '../temporal/insert-runs.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createImportWorker, createInsertWorker, type WorkerSetup } from '../temporal/workers.ts';
import { loadWorkflowBundle } from '../temporal/workflow-bundle.ts';
import { createSessions, openConfiguredDatabase, openStorage, type RunningPart } from './compose-parts.ts';

type Setup = Omit<WorkerSetup, 'activities'>;

/** `failed` rejects when a worker ends by itself. */
export async function startWorkers(
  config: Config,
  logger: Logger,
): Promise<RunningPart & { failed: Promise<never> }> {
  installRuntime(logger);
  const shared = await openSharedParts(config);
  const connection = await connectWorker(config.temporal);
  const setup: Setup = {
    connection,
    namespace: config.temporal.namespace,
    workflowBundle: await loadWorkflowBundle(config.cacheDir),
    identity: `${process.pid}@${hostname()}`,
    shutdownGraceMs: config.shutdownGraceMs,
  };
  const create = { 'package-import': importWorker, 'regulator-insert': insertWorker };
  const parts = await Promise.all(config.worker.roles.map((role) => create[role](config, shared, setup)));
  if (config.worker.roles.includes('package-import')) await ensureSchedules(shared.client);
  const runs = parts.map(({ worker }) => worker.run());
  const ended = Promise.allSettled(runs);
  return {
    failed: Promise.all(runs).then(() => new Promise<never>(() => {})),
    async close() {
      for (const { worker } of parts) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      for (const part of parts) await part.close();
      await connection.close();
      await shared.close();
    },
  };
}

type SharedParts = Awaited<ReturnType<typeof openSharedParts>>;

async function openSharedParts(config: Config) {
  const database = await openConfiguredDatabase(config);
  const { client, connection } = await connectClient(config.temporal);
  // The gateway reports a refusal; here it only means to start workflows without them.
  const attributes = await registerSearchAttributes(connection, config.temporal.namespace, () => {});
  return {
    database,
    storage: openStorage(config),
    sessions: createSessions(config, database),
    client,
    runs: createInsertRuns(client, attributes),
    importRuns: createImportRuns(client, attributes),
    async close() {
      await connection.close();
      await database.close();
    },
  };
}

interface WorkerPart extends RunningPart {
  worker: Worker;
}

async function importWorker(config: Config, shared: SharedParts, setup: Setup): Promise<WorkerPart> {
  const parser = createProductParser({ threads: config.worker.parserThreads });
  const mailer = createMailer(config.mail);
  const mailDomain = config.mail.from.split('@')[1] ?? 'localhost';
  const activities = createImportActivities({ ...shared, parser, mailer, mailDomain });
  return {
    worker: await createImportWorker({ ...setup, activities }),
    async close() {
      mailer.close();
      await parser.close();
    },
  };
}

async function insertWorker(config: Config, shared: SharedParts, setup: Setup): Promise<WorkerPart> {
  const slots = shared.database.regulatorSlots(config.regulator.concurrency);
  const activities = createInsertActivities({
    ...shared,
    regulator: createRegulatorClient(config.regulator),
    slots,
  });
  return {
    worker: await createInsertWorker({ ...setup, activities }, config.regulator),
    close: () => slots.close(),
  };
}

let runtimeInstalled = false;

/** The SDK core is one per process; it logs through our logger. */
function installRuntime(logger: Logger): void {
  if (runtimeInstalled) return;
  runtimeInstalled = true;
  const write =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta?: object): void =>
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
