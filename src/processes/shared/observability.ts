/** Metrics, traces and health of a process, from the configuration and OpenTelemetry's standard variables. */
import { Registry } from '@prometheus-io/client';
import type { Logger } from 'pino';
import type { ArchiveStorage } from '../../archive/storage.ts';
import type { Config } from '../../config/index.ts';
import { createHealthServer, type HealthServerDependencies } from '../../http/health.ts';
import { listen } from '../../http/server.ts';
import { createGatewayMetrics, measureStorage } from '../../observability/gateway-metrics.ts';
import { expositionOf } from '../../observability/metrics.ts';
import { installRuntime, logRequestId } from '../../observability/temporal-core.ts';
import { startTracing, type Tracing } from '../../observability/tracing.ts';
import { measureWork, type WorkSources } from '../../observability/work-gauges.ts';
import { createWorkerMetrics } from '../../observability/worker-metrics.ts';
import { sendRequest } from '../../regulator/send.ts';
import { VERSION } from './logger.ts';
import type { RunningPart } from './program.ts';

function traces(role: 'gateway' | 'worker', logger: Logger): Promise<Tracing> {
  const service = { name: `package-import-${role}`, version: VERSION };
  return startTracing(process.env, service, (reason) => logger.warn({ reason }, 'traces are turned off'));
}

export async function observeGateway(
  { archive }: Config,
  logger: Logger,
  storage: Pick<ArchiveStorage, 'freeBytes'>,
) {
  const tracing = await traces('gateway', logger);
  const registry = new Registry();
  const { measureRequests, measureImports } = createGatewayMetrics(registry);
  measureStorage(registry, () => storage.freeBytes(), archive.minFreeBytes);
  return {
    tracing,
    exposition: expositionOf(registry),
    observers: [...tracing.requests, measureRequests],
    measureImports,
    measureWork: (sources: WorkSources) => measureWork(registry, sources),
  };
}

export type ObservedWorkers = Awaited<ReturnType<typeof observeWorkers>>;

/** @param session the regulator session, whose state becomes a metric */
export async function observeWorkers(
  { healthPort }: Config,
  logger: Logger,
  session: Parameters<typeof createWorkerMetrics>[1],
) {
  const core = await installRuntime(logger, healthPort > 0);
  const tracing = await traces('worker', logger);
  const registry = new Registry();
  const measured = createWorkerMetrics(registry, session);
  return {
    tracing,
    exposition: expositionOf(registry, core?.text),
    send: measured.measureRegulator(tracing.traceRegulator(sendRequest)),
    measureMails: measured.measureMails,
    /** Options of every worker. */
    options: {
      interceptors: { activity: [...tracing.activities, logRequestId, measured.activities] },
      sinks: tracing.sinks,
    },
  };
}

/** Serves them on HEALTH_PORT. Serves nothing if that is 0. */
export async function serveHealth(
  { gateway: { host }, healthPort: port }: Config,
  dependencies: Omit<HealthServerDependencies, 'version'>,
): Promise<RunningPart> {
  if (port === 0) return { close: async () => {} };
  const server = await listen(createHealthServer({ ...dependencies, version: VERSION }), { host, port });
  return { close: () => server.close(0) };
}
