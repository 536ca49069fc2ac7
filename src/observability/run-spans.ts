/** Records ended workflow runs as spans. The SDK would generate a span id, but the id of a run's span is known before. */
import { type Attributes, createTraceState, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { EndedRun } from '../domain/run-context.ts';

type Time = [seconds: number, nanoseconds: number];

/** @returns the function that workers call when a run has ended (workflows/interceptors.ts) */
export function runSpans(
  processor: SpanProcessor,
  resource: Resource,
  instrumentationScope: { name: string; version: string },
): (info: WorkflowInfo, run: EndedRun) => void {
  return ({ workflowType, workflowId, runId }, { span, startedAt, failure }) => {
    const endedAt = Date.now();
    const attributes: Attributes = { temporalWorkflowId: workflowId, run_id: runId };
    const spanContext = {
      traceId: span.traceId,
      spanId: span.spanId,
      traceFlags: TraceFlags.SAMPLED,
      ...(span.traceState !== undefined && { traceState: createTraceState(span.traceState) }),
    };
    const ended: ReadableSpan = {
      name: `RunWorkflow:${workflowType}`,
      kind: SpanKind.INTERNAL,
      spanContext: () => spanContext,
      parentSpanContext: {
        traceId: span.traceId,
        spanId: span.parentSpanId,
        traceFlags: TraceFlags.SAMPLED,
      },
      startTime: timeOf(startedAt),
      endTime: timeOf(endedAt),
      duration: timeOf(endedAt - startedAt),
      status:
        failure === null ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: failure },
      attributes,
      links: [],
      events: [],
      ended: true,
      resource,
      instrumentationScope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
    processor.onEnd(ended);
  };
}

function timeOf(milliseconds: number): Time {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}
