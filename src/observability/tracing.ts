/**
 * OpenTelemetry traces from the HTTP request through workflows and activities to the regulator. The standard variables
 * enable them (docs/observability.md). While they are not set, the SDK is not loaded.
 */
import type { Tracing } from './open-telemetry.ts';

export type { Tracing };

/** Tracing switched off. The sink stays, because a run may belong to a trace that other processes record. */
const OFF: Tracing = {
  requests: [],
  client: {},
  activities: [],
  sinks: { tracing: { runEnded: { fn: () => {} } } },
  traceRegulator: (send) => send,
  stop: async () => {},
};

/**
 * @param service name of this kind of process if OTEL_SERVICE_NAME is not set
 * @param onProblem gets the reason if the variables ask for tracing that is not supported
 */
export async function startTracing(
  env: NodeJS.ProcessEnv,
  service: { name: string; version: string },
  onProblem: (reason: string) => void,
): Promise<Tracing> {
  if (!isWanted(env)) return OFF;
  const problem = problemOf(env);
  if (problem !== null) {
    onProblem(problem);
    return OFF;
  }
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry(service);
}

/** OpenTelemetry specification, "Environment Variable Specification". */
function isWanted(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (env.OTEL_TRACES_EXPORTER) return env.OTEL_TRACES_EXPORTER !== 'none';
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

function problemOf(env: NodeJS.ProcessEnv): string | null {
  const exporter = env.OTEL_TRACES_EXPORTER || 'otlp';
  if (exporter !== 'otlp') return `OTEL_TRACES_EXPORTER: ${exporter} is not supported; use otlp or none`;
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (!protocol || protocol === 'http/protobuf') return null;
  return `OTEL_EXPORTER_OTLP_PROTOCOL: ${protocol} is not supported; use http/protobuf`;
}
