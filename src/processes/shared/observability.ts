/** Metrics and traces of a process, from the configuration and OpenTelemetry's standard variables. */
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { ArchiveStorage } from '../../archive/storage.ts';
import type { Config } from '../../config/index.ts';
import type { RequestState } from '../../http/request-state.ts';
import { createGatewayMetrics, measureStorage, serveMetrics } from '../../observability/gateway-metrics.ts';
import { createRegistry, type Exposition, expositionOf } from '../../observability/metrics.ts';
import { logRequestId } from '../../observability/request-id.ts';
import { startTracing, type Tracing } from '../../observability/tracing.ts';
import { measureWork, type WorkSources } from '../../observability/work-gauges.ts';
import { createWorkerMetrics } from '../../observability/worker-metrics.ts';
import { installRuntime } from './temporal-runtime.ts';
import { VERSION } from './version.ts';

function traces(role: 'gateway' | 'worker', logger: Logger): Promise<Tracing> {
  const service = { name: `package-import-${role}`, version: VERSION };
  return startTracing(process.env, service, (reason) => logger.warn({ reason }, 'traces stay off'));
}

export async function observeGateway(
  { gateway: { basePath }, archive }: Config,
  logger: Logger,
  storage: Pick<ArchiveStorage, 'freeBytes'>,
) {
  const tracing = await traces('gateway', logger);
  const registry = createRegistry();
  const { measureRequests, measureImports } = createGatewayMetrics(registry);
  measureStorage(registry, () => storage.freeBytes(), archive.minFreeBytes);
  const observers: Middleware<RequestState>[] = [
    ...tracing.requests,
    measureRequests,
    serveMetrics(expositionOf(registry), basePath),
  ];
  return {
    tracing,
    observers,
    measureImports,
    measureWork: (sources: WorkSources) => measureWork(registry, sources),
  };
}

export type ObservedWorkers = Awaited<ReturnType<typeof observeWorkers>>;

/** @param session the regulator session, whose state becomes a metric */
export async function observeWorkers(
  { worker: { healthPort } }: Config,
  logger: Logger,
  session: Parameters<typeof createWorkerMetrics>[1],
) {
  const isScraped = healthPort > 0;
  const core = await installRuntime(logger, isScraped);
  const tracing = await traces('worker', logger);
  const registry = createRegistry();
  const measured = createWorkerMetrics(registry, session);
  const exposition: Exposition | null = isScraped ? expositionOf(registry, core?.text) : null;
  return {
    tracing,
    exposition,
    send: measured.measureRegulator(tracing.traceRegulator(fetch)),
    measureMails: measured.measureMails,
    /** Options of every worker. */
    options: {
      interceptors: { activity: [...tracing.activities, logRequestId, measured.activities] },
      sinks: tracing.sinks,
    },
  };
}
