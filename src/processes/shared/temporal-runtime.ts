/** The Temporal SDK's core: one per process, for all of its workers. It logs through the process's logger. */
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { type CoreMetrics, createCoreMetrics } from '../../observability/core-metrics.ts';

/** Log levels from which messages of the core and of its libraries are forwarded. */
const CORE_LOGS = { core: 'WARN', other: 'ERROR' } as const;

/**
 * The core's warning about a workflow task of five seconds, which is normal here. An insert is one task with all of its
 * calls to the regulator, or waits for the answer to its upload (decision §steps-locally-first, §answer-first).
 */
const LONG_WORKFLOW_TASK = '[TMPRL1104]';

let installed: Promise<CoreMetrics | null> | undefined;

/** @returns the core's metrics; null if the first call asked for none */
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
