/** The Temporal SDK's core: one per process, however many workers it has. It logs through our logger. */
import { Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { type CoreMetrics, createCoreMetrics } from '../observability/core-metrics.ts';

let installed: Promise<CoreMetrics | null> | undefined;

/** @returns its metrics; null where the first call wanted none */
export function installRuntime(logger: Logger, withMetrics: boolean): Promise<CoreMetrics | null> {
  installed ??= install(logger, withMetrics);
  return installed;
}

async function install(logger: Logger, withMetrics: boolean): Promise<CoreMetrics | null> {
  const metrics = withMetrics ? await createCoreMetrics() : null;
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
    ...(metrics && { telemetryOptions: metrics.telemetry }),
  });
  return metrics;
}
