/**
 * Logs and metrics of the Temporal SDK. Its core is one per process, for all workers of the process, and logs through the
 * process's logger.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  type ActivityInterceptorsFactory,
  DefaultLogger,
  type LogEntry,
  Runtime,
  type TelemetryOptions,
} from '@temporalio/worker';
import type { Logger } from 'pino';
import { REQUEST_ID_HEADER } from '../domain/run-context.ts';

/** Log levels from which messages of the core and of its libraries are forwarded. */
const CORE_LOGS = { core: 'WARN', other: 'ERROR' } as const;

/**
 * The core's warning about a workflow task of five seconds, which is normal here. An insert is one task with all of its
 * calls to the regulator, or waits for the answer to its upload (decision §six-steps, §waits-of-inserts).
 */
const LONG_WORKFLOW_TASK = '[TMPRL1104]';

/** The SDK's warning about a worker of activities only. */
const ACTIVITIES_ONLY = 'No workflows registered';

let installed: Promise<CoreMetrics | null> | undefined;

/** @returns the core's metrics; null if the first call asked for none */
export function installRuntime(logger: Logger, withMetrics: boolean): Promise<CoreMetrics | null> {
  installed ??= install(logger, withMetrics);
  return installed;
}

async function install(logger: Logger, withMetrics: boolean): Promise<CoreMetrics | null> {
  const metrics = withMetrics ? await createCoreMetrics() : null;
  Runtime.install({
    logger: new DefaultLogger('TRACE', (entry) => logger[levelOf(entry)](fieldsOf(entry), entry.message)),
    shutdownSignals: [],
    telemetryOptions: { ...metrics?.telemetry, logging: { filter: CORE_LOGS, forward: {} } },
  });
  return metrics;
}

/** The SDK passes errors as `error`. pino writes the message and the stack of `err` only. */
function fieldsOf({ meta: { error, ...fields } = {} }: LogEntry) {
  return error === undefined ? fields : { ...fields, err: error };
}

function levelOf({ level, message }: LogEntry) {
  const isNormal = [LONG_WORKFLOW_TASK, ACTIVITIES_ONLY].some((text) => message.includes(text));
  if (level === 'INFO' || isNormal) return 'debug';
  return level.toLowerCase() as Lowercase<typeof level>;
}

interface CoreMetrics {
  telemetry: TelemetryOptions;
  text(): Promise<string>;
}

/**
 * The core has its own exporter on a loopback port. The process reads from it, so that Prometheus scrapes one address.
 */
async function createCoreMetrics(): Promise<CoreMetrics> {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  return {
    telemetry: {
      metrics: {
        attachServiceName: false,
        // Prometheus naming conventions.
        prometheus: {
          bindAddress,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
      },
    },
    text: async () => (await fetch(`http://${bindAddress}/metrics`)).text(),
  };
}

/** A free port: the exporter does not report the port that it has bound, so the caller must choose one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

/** Adds the id of the request that started a run to every log line of its activities. */
export const logRequestId: ActivityInterceptorsFactory = () => {
  let requestId: string | undefined;
  return {
    inbound: {
      execute(input, next) {
        const payload = input.headers[REQUEST_ID_HEADER];
        if (payload) requestId = defaultPayloadConverter.fromPayload<string>(payload);
        return next(input);
      },
    },
    outbound: {
      getLogAttributes: (input, next) =>
        next(requestId === undefined ? input : { ...input, request_id: requestId }),
    },
  };
};
