/** Health of a worker process, for orchestrators. */
import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config, WorkerRole } from '../../config/index.ts';
import { listen } from '../../http/server.ts';
import type { Exposition } from '../../observability/metrics.ts';
import { createWorkerServer, type WorkerState } from '../../observability/worker-server.ts';
import type { RunningPart } from '../shared/parts.ts';
import { VERSION } from '../shared/version.ts';

/** Serves health, readiness and metrics over HTTP, unless WORKER_HEALTH_PORT is 0. */
export async function serveHealth(
  { gateway: { host }, worker: { healthPort } }: Config,
  logger: Logger,
  metrics: Exposition | null,
  state: () => WorkerState,
  checks: Record<string, () => Promise<void>>,
): Promise<RunningPart> {
  if (healthPort === 0) return { close: async () => {} };
  const app = createWorkerServer({ version: VERSION, state, checks, metrics, logger });
  const server = await listen(app, { host, port: healthPort });
  return { close: () => server.close(0) };
}

/** A check that fails unless the worker of a role polls. */
export function running(workers: ReadonlyMap<WorkerRole, Worker>, role: WorkerRole) {
  return async () => {
    const now = workers.get(role)?.getState() ?? 'INITIALIZED';
    if (now !== 'RUNNING') throw new Error(`the worker is ${now}`);
  };
}
