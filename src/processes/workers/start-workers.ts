/** Starts the workers of the configured roles. */
import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config, WorkerRole } from '../../config/index.ts';
import type { WorkerState } from '../../observability/worker-server.ts';
import { connectWorker } from '../../temporal/connection.ts';
import { identityOf } from '../../temporal/identity.ts';
import { ensureSchedules } from '../../temporal/schedules.ts';
import { connectionsBesidePool, connectionsOfWorker } from '../shared/database-connections.ts';
import { observeWorkers } from '../shared/observability.ts';
import { openConfiguredDatabase, type RunningPart } from '../shared/parts.ts';
import { running, serveHealth } from './health.ts';
import { CREATE_WORKER, workerSetup } from './roles.ts';
import { openSharedParts } from './shared-parts.ts';

/** Resolves when the workers have been told to poll. `failed` rejects if a worker fails. */
export async function startWorkers(
  config: Config,
  logger: Logger,
): Promise<RunningPart & { failed: Promise<never> }> {
  const database = await openConfiguredDatabase(
    config,
    connectionsOfWorker(config),
    connectionsBesidePool(config),
  );
  const observed = await observeWorkers(config, logger, database.regulatorSession);
  let state: WorkerState = 'starting';
  const workers = new Map<WorkerRole, Worker>();
  const shared = await openSharedParts(config, database, observed);
  const server = await serveHealth(config, logger, observed.exposition, () => state, {
    database: () => database.ping(),
    temporal: () => shared.pingTemporal(),
    ...Object.fromEntries(config.worker.roles.map((role) => [`worker ${role}`, running(workers, role)])),
  });
  const connection = await connectWorker(config.temporal);
  const setup = { ...(await workerSetup(config, connection)), ...observed.options };
  const parts = await Promise.all(
    config.worker.roles.map(async (role) => {
      const part = await CREATE_WORKER[role](config, shared, {
        ...setup,
        identity: identityOf(role, config.worker.machine),
      });
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
