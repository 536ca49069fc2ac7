/** The Temporal SDK's core: one per process, however many workers it has. It logs through our logger. */
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { type CoreMetrics, createCoreMetrics } from '../../observability/core-metrics.ts';

/** What is forwarded of the core itself, and of the libraries that it is made of. */
const CORE_LOGS = { core: 'WARN', other: 'ERROR' } as const;

/**
 * What the core says of a workflow task that takes five seconds. Ours may: an insert is one task, which has all of its calls
 * to the regulator in it, or waits for the answer to its upload (decision §steps-locally-first, §answer-first).
 */
const LONG_WORKFLOW_TASK = '[TMPRL1104]';

let installed: Promise<CoreMetrics | null> | undefined;

/** @returns its metrics; null where the first call wanted none */
export function installRuntime(logger: Logger, withMetrics: boolean): Promise<CoreMetrics | null> {
  installed ??= install(logger, withMetrics);
  return installed;
}

async function install(logger: Logger, withMetrics: boolean): Promise<CoreMetrics | null> {
  const metrics = withMetrics ? await createCoreMetrics() : null;
  Runtime.install({
    logger: new DefaultLogger('TRACE', (entry) => logger[levelOf(entry)](entry.meta ?? {}, entry.message)),
    shutdownSignals: [],
    telemetryOptions: { ...metrics?.telemetry, logging: { filter: CORE_LOGS, forward: {} } },
  });
  return metrics;
}

function levelOf({ level, message }: LogEntry) {
  if (level === 'INFO' || message.includes(LONG_WORKFLOW_TASK)) return 'debug';
  return level.toLowerCase() as Lowercase<typeof level>;
}
