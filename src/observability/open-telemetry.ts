/** Tracing with the OpenTelemetry SDK. Loaded only if tracing is enabled (tracing.ts). */
import {
  type Context,
  context,
  createTraceState,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, RandomIdGenerator } from '@opentelemetry/sdk-trace-node';
import type { ClientOptions } from '@temporalio/client';
import {
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry-v2';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { Middleware } from 'koa';
import pTimeout from 'p-timeout';
import type { TracingSinks } from '../../workflows/interceptors.ts';
import { messageOf } from '../common/text.ts';
import { type EndedRun, TRACE_HEADER } from '../domain/run-context.ts';
import type { RequestState } from '../http/koa.ts';
import type { SendRequest } from '../regulator/send.ts';
import { operationOf } from './metrics.ts';

export interface Tracing {
  /** Middleware, to be used around everything that answers requests. */
  requests: Middleware<RequestState>[];
  /** Options of Temporal's client. Workflows that it starts become part of the trace. */
  client: Pick<ClientOptions, 'interceptors'>;
  activities: ActivityInterceptorsFactory[];
  /** Sinks of the workers, which record the spans of runs. */
  sinks: InjectedSinks<TracingSinks>;
  /** Traces calls to the regulator, and propagates the trace (W3C Trace Context). */
  traceRegulator(send: SendRequest): SendRequest;
  /** Flushes the remaining spans. */
  stop(): Promise<void>;
}

/** Probes and scrapes, which are frequent and not worth a trace. */
const UNTRACED = /\/(?:health\/\w+|metrics)$/;

/** Timeout of the flush at a stop, so that an unavailable collector does not block the stop. */
const STOP_MS = 5_000;

/** Starts tracing. The SDK itself reads endpoint, headers, sampling and the rest from the standard variables. */
export function startOpenTelemetry({ name, version }: { name: string; version: string }): Tracing {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': name, 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())];
  const idGenerator = createSpanIds();
  const provider = new NodeTracerProvider({ resource, spanProcessors, idGenerator });
  // Sets the propagation of contexts for the whole process, once.
  // No baggage (decision §traceparent-only). OTEL_PROPAGATORS does not change that.
  provider.register({ propagator: new W3CTraceContextPropagator() });
  const tracer = provider.getTracer(name, version);
  return {
    requests: [traceRequests(tracer)],
    client: { interceptors: { workflow: [new OpenTelemetryWorkflowClientInterceptor({ tracer })] } },
    activities: [traceActivities(tracer)],
    sinks: { tracing: { runEnded: { fn: runSpans(tracer, idGenerator) } } },
    traceRegulator: (send) => (request) => {
      const { hostname, port, protocol } = new URL(request.url);
      // OpenTelemetry semantic conventions, "HTTP client span".
      const attributes = {
        'http.request.method': request.method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      };
      return inSpan(tracer, operationOf(request), { kind: SpanKind.CLIENT, attributes }, async (span) => {
        const headers = { ...request.headers };
        propagation.inject(context.active(), headers);
        const response = await send({ ...request, headers });
        span.setAttribute('http.response.status_code', response.status);
        if (response.status >= 300) span.setStatus({ code: SpanStatusCode.ERROR });
        return response;
      });
    },
    async stop() {
      await pTimeout(
        provider.shutdown().catch(() => {}),
        { milliseconds: STOP_MS, message: false },
      );
    },
  };
}

function traceRequests(tracer: Tracer): Middleware<RequestState> {
  return async (ctx, next) => {
    if (UNTRACED.test(ctx.path)) return next();
    const { method } = ctx;
    const options = {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': method, 'request.id': ctx.state.requestId },
    };
    const { traceparent } = ctx.headers;
    const parent = propagation.extract(context.active(), { traceparent });
    await inSpan(
      tracer,
      method,
      options,
      async (span) => {
        const { traceId } = span.spanContext();
        ctx.state.log = ctx.state.log.child({ trace_id: traceId });
        await next();
        const route = (ctx as { _matchedRoute?: unknown })._matchedRoute;
        if (typeof route === 'string')
          span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span.setAttribute('http.response.status_code', ctx.status);
        if (ctx.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      },
      parent,
    );
  };
}

/** Traces activities of runs that belong to a trace. Runs that a schedule starts do not. */
function traceActivities(tracer: Tracer): ActivityInterceptorsFactory {
  return (activity) => {
    const traced = new OpenTelemetryActivityInboundInterceptor(activity, { tracer });
    return {
      inbound: {
        execute: (input, next) => (TRACE_HEADER in input.headers ? traced.execute(input, next) : next(input)),
      },
      outbound: new OpenTelemetryActivityOutboundInterceptor(activity),
    };
  };
}

function inSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
  parent: Context = context.active(),
): Promise<T> {
  return tracer.startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Random ids, except for the span that starts next after `use`. */
function createSpanIds() {
  const random = new RandomIdGenerator();
  let next: string | undefined;
  return {
    use(spanId: string): void {
      next = spanId;
    },
    generateTraceId: () => random.generateTraceId(),
    generateSpanId(): string {
      const spanId = next ?? random.generateSpanId();
      next = undefined;
      return spanId;
    },
  };
}

/**
 * Records ended workflow runs as spans. The id of a run's span is known before, because the spans of its activities
 * refer to it.
 *
 * @returns the function that workers call when a run has ended (workflows/interceptors.ts)
 */
function runSpans(
  tracer: Tracer,
  { use }: ReturnType<typeof createSpanIds>,
): (info: WorkflowInfo, run: EndedRun) => void {
  return ({ workflowType, workflowId, runId }, { span, startedAt, failure }) => {
    const parent = trace.setSpanContext(ROOT_CONTEXT, {
      traceId: span.traceId,
      spanId: span.parentSpanId,
      traceFlags: TraceFlags.SAMPLED,
      ...(span.traceState !== undefined && { traceState: createTraceState(span.traceState) }),
    });
    const attributes = { temporalWorkflowId: workflowId, run_id: runId };
    use(span.spanId);
    tracer
      .startSpan(`RunWorkflow:${workflowType}`, { startTime: startedAt, attributes }, parent)
      .setStatus(
        failure === null ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: failure },
      )
      .end();
  };
}
