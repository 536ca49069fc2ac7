/** The workers of the configured roles, from the configuration to polling. */
import type { PayloadCodec } from '@temporalio/common';
import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createImportActivities, createInsertActivities } from '../../activities/index.ts';
import type { Config, WorkerRole } from '../config.ts';
import type { Database } from '../database/index.ts';
import { listen } from '../http/server.ts';
import { createMailer } from '../mail/mailer.ts';
import type { Exposition } from '../observability/metrics.ts';
import { createWorkerServer, type WorkerState } from '../observability/worker-server.ts';
import { createProductParser } from '../products/parser-pool.ts';
import { connectClient, connectWorker } from '../temporal/connection.ts';
import { buildIdOf, identityOf } from '../temporal/identity.ts';
import { createImportRuns } from '../temporal/import-runs.ts';
import { createInsertRuns } from '../temporal/insert-runs.ts';
import { dataConverterOf } from '../temporal/payload-encryption.ts';
import { createLookAtRunInTheWay } from '../temporal/run-in-the-way.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createImportWorker, createInsertWorker, type WorkerSetup } from '../temporal/workers.ts';
import { loadWorkflowBundle } from '../temporal/workflow-bundle.ts';
import { type ObservedWorkers, observeWorkers } from './observability.ts';
import {
  createRegulator,
  createSessions,
  openConfiguredDatabase,
  openPayloadCodec,
  openStorage,
  type RunningPart,
} from './parts.ts';

type Setup = Omit<WorkerSetup, 'activities'>;

/** `failed` rejects when a worker ends by itself. */
export async function startWorkers(
  config: Config,
  logger: Logger,
): Promise<RunningPart & { failed: Promise<never> }> {
  const database = await openConfiguredDatabase(config);
  const observed = await observeWorkers(config, logger, database.regulatorSession);
  let state: WorkerState = 'starting';
  const workers = new Map<WorkerRole, Worker>();
  const codec = openPayloadCodec(config);
  const shared = await openSharedParts(config, database, codec, observed);
  const server = await serveHealth(config, logger, observed.exposition, () => state, {
    database: () => database.ping(),
    temporal: () => shared.pingTemporal(),
    ...Object.fromEntries(config.worker.roles.map((role) => [`worker ${role}`, running(workers, role)])),
  });
  const connection = await connectWorker(config.temporal);
  const setup = { ...(await workerSetup(config, codec, connection)), ...observed.options };
  const create = { 'package-import': importWorker, 'regulator-insert': insertWorker };
  const parts = await Promise.all(
    config.worker.roles.map(async (role) => {
      const identity = identityOf(role, config.worker.identity);
      const part = await create[role](config, shared, { ...setup, identity });
      workers.set(role, part.worker);
      return part;
    }),
  );
  if (config.worker.roles.includes('package-import')) await ensureSchedules(shared.client);
  const runs = parts.map(({ worker }) => worker.run());
  const ended = Promise.allSettled(runs);
  for (const part of parts) part.warmUp?.();
  state = 'running';
  return {
    failed: Promise.all(runs).then(() => new Promise<never>(() => {})),
    async close() {
      state = 'draining';
      for (const { worker } of parts) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      for (const part of parts) await part.close();
      await connection.close();
      await shared.close();
      await server.close();
      await observed.tracing.stop();
    },
  };
}

/** Nothing where WORKER_HEALTH_PORT is 0. */
async function serveHealth(
  { gateway: { host }, worker: { healthPort } }: Config,
  logger: Logger,
  metrics: Exposition | null,
  state: () => WorkerState,
  checks: Record<string, () => Promise<void>>,
): Promise<RunningPart> {
  if (healthPort === 0) return { close: async () => {} };
  const app = createWorkerServer({ state, checks, metrics, logger });
  const server = await listen(app, { host, port: healthPort });
  return { close: () => server.close(0) };
}

function running(workers: ReadonlyMap<WorkerRole, Worker>, role: WorkerRole) {
  return async () => {
    const now = workers.get(role)?.getState() ?? 'INITIALIZED';
    if (now !== 'RUNNING') throw new Error(`the worker is ${now}`);
  };
}

async function workerSetup(
  config: Config,
  codec: PayloadCodec | null,
  connection: NonNullable<Setup['connection']>,
): Promise<Setup> {
  const bundle = await loadWorkflowBundle(config.cacheDir, { encodedFailures: codec !== null });
  return {
    connection,
    namespace: config.temporal.namespace,
    workflowBundle: bundle,
    buildId: config.worker.buildId ?? buildIdOf(bundle),
    ...dataConverterOf(codec),
    databaseConnections: config.database.poolSize,
    shutdownGraceMs: config.shutdownGraceMs,
  };
}

type SharedParts = Awaited<ReturnType<typeof openSharedParts>>;

async function openSharedParts(
  config: Config,
  database: Database,
  codec: PayloadCodec | null,
  { tracing, send, measureMails }: ObservedWorkers,
) {
  const { client, connection } = await connectClient(config.temporal, {
    identity: identityOf('worker', config.worker.identity),
    ...dataConverterOf(codec),
    ...tracing.client,
  });
  // The gateway reports a refusal; here it only means to start workflows without them.
  const attributes = await registerSearchAttributes(connection, config.temporal.namespace, () => {});
  const runs = createInsertRuns(client, attributes);
  const mailer = measureMails(createMailer(config.mail));
  return {
    database,
    storage: await openStorage(config),
    sessions: createSessions(config, database, send),
    mailer,
    regulator: createRegulator(config, database, send),
    client,
    runs,
    lookAtRunInTheWay: createLookAtRunInTheWay(runs, database.submissions),
    importRuns: createImportRuns(client, attributes),
    async pingTemporal() {
      await connection.workflowService.getSystemInfo({});
    },
    async close() {
      mailer.close();
      await connection.close();
      await database.close();
    },
  };
}

interface WorkerPart extends RunningPart {
  worker: Worker;
  /** Once all workers of the process have been created. */
  warmUp?(): void;
}

async function importWorker(config: Config, shared: SharedParts, setup: Setup): Promise<WorkerPart> {
  const parser = createProductParser({ threads: config.worker.parserThreads });
  const mailDomain = config.mail.from.split('@')[1] ?? 'localhost';
  const { retentionDays } = config.archive;
  const activities = createImportActivities({ ...shared, parser, mailDomain, retentionDays });
  return {
    worker: await createImportWorker({ ...setup, activities }),
    warmUp: () => parser.warmUp(),
    close: () => parser.close(),
  };
}

async function insertWorker(config: Config, shared: SharedParts, setup: Setup): Promise<WorkerPart> {
  const slots = shared.database.regulatorSlots(config.regulator.concurrency);
  const activities = createInsertActivities({ ...shared, slots });
  return {
    worker: await createInsertWorker({ ...setup, activities }, config.regulator),
    close: () => slots.close(),
  };
}
