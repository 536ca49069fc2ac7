/** Starts the workers of the configured roles. */
import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/index.ts';
import type { WorkerRole } from '../../domain/task-queues.ts';
import type { ProcessState } from '../../http/health.ts';
import { connectWorker, identityOf } from '../../temporal/connection.ts';
import { ensureSchedules } from '../../temporal/schedules.ts';
import { observeWorkers, serveHealth } from '../shared/observability.ts';
import { openConfiguredDatabase, warnAboutTableOwner } from '../shared/parts.ts';
import type { RunningPart } from '../shared/program.ts';
import { CREATE_WORKER, openSharedParts, workerSetup } from './roles.ts';

/** Resolves when the workers have been told to poll, after their first heartbeat. `failed` rejects if a worker fails. */
export async function startWorkers(
  config: Config,
  logger: Logger,
): Promise<RunningPart & { failed: Promise<never> }> {
  const database = await openConfiguredDatabase(config, config.worker.roles);
  await warnAboutTableOwner(config, database, logger);
  const observed = await observeWorkers(config, logger, database.regulatorSession);
  let state: ProcessState = 'starting';
  const workers = new Map<WorkerRole, Worker[]>();
  const shared = await openSharedParts(config, database, observed);
  const health = await serveHealth(config, {
    state: () => state,
    checks: {
      database: () => database.ping(),
      temporal: () => shared.pingTemporal(),
      ...Object.fromEntries(config.worker.roles.map((role) => [`worker ${role}`, running(workers, role)])),
    },
    metrics: observed.exposition,
    logger,
  });
  const connection = await connectWorker(config.temporal);
  const setup = { ...(await workerSetup(config, connection)), ...observed.options };
  const parts = await Promise.all(
    config.worker.roles.map(async (role) => {
      const part = await CREATE_WORKER[role](config, shared, {
        ...setup,
        identity: identityOf(role, config.worker.machine),
      });
      workers.set(role, part.workers);
      return part;
    }),
  );
  if (config.worker.roles.includes('package-import')) {
    await ensureSchedules(shared.client);
    await renewEncryption(database, logger);
  }
  const all = parts.flatMap((part) => part.workers);
  const runs = all.map((worker) => worker.run());
  const ended = Promise.allSettled(runs);
  const stopHeartbeats = await database.workerHeartbeats.start(config.worker.roles);
  state = 'running';
  return {
    failed: Promise.all(runs).then(() => new Promise<never>(() => {})),
    async close() {
      state = 'draining';
      stopHeartbeats();
      for (const worker of all) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      for (const part of parts) await part.close();
      await connection.close();
      await shared.close();
      await health.close();
      await observed.tracing.stop();
    },
  };
}

/** A rotation of ENCRYPTION_SECRET ends with this log line: the older secret is no longer needed (deploy/runbook.md). */
async function renewEncryption(database: Pick<Database, 'renewEncryption'>, logger: Logger): Promise<void> {
  const { renewed, unreadable } = await database.renewEncryption();
  if (renewed > 0) logger.info({ renewed }, 'stored secrets are encrypted with the newest ENCRYPTION_SECRET');
  if (unreadable > 0)
    logger.warn(
      { unreadable },
      'some stored secrets cannot be decrypted: ENCRYPTION_SECRET lacks the secret that encrypted them',
    );
}

/** A check that fails unless the workers of a role poll. */
function running(workers: ReadonlyMap<WorkerRole, Worker[]>, role: WorkerRole) {
  return async () => {
    const states = workers.get(role)?.map((worker) => worker.getState()) ?? ['INITIALIZED'];
    const other = states.find((state) => state !== 'RUNNING');
    if (other !== undefined) throw new Error(`the state of the worker is ${other}`);
  };
}
