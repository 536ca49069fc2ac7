/**
 * Traces from the HTTP request through workflows and activities to the regulator, by OpenTelemetry. Switched on by
 * its standard variables (docs/observability.md); while they are not set, nothing of it is even loaded.
 */
import type { Tracing } from './open-telemetry.ts';

export type { Tracing };

/** A run may be a part of a trace that others record: its end is then of no interest here. */
const OFF: Tracing = {
  requests: [],
  client: {},
  activities: [],
  sinks: { tracing: { runEnded: { fn: () => {} } } },
  traceRegulator: (send) => send,
  stop: async () => {},
};

/**
 * @param service name of this kind of process where OTEL_SERVICE_NAME says nothing
 * @param onProblem is told why traces stay off though they were asked for
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
  if (exporter !== 'otlp') return `OTEL_TRACES_EXPORTER: only otlp and none are known, not ${exporter}`;
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (!protocol || protocol === 'http/protobuf') return null;
  return `OTEL_EXPORTER_OTLP_PROTOCOL: only http/protobuf is known, not ${protocol}`;
}
