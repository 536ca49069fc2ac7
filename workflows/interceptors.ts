/**
 * Headers that every run passes on to its activities and children: its trace, and the id of the request that started
 * it. A header creates no command, so every history replays with and without tracing. (The SDK's own interceptors bring
 * an OpenTelemetry SDK into the sandbox, which loads it again for every run.)
 */
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import {
  proxySinks,
  type Sink,
  type Sinks,
  type WorkflowInterceptors,
  workflowInfo,
} from '@temporalio/workflow';
import {
  carrierOf,
  type EndedRun,
  REQUEST_ID_HEADER,
  type RequestMemo,
  type RunSpan,
  spanOfRun,
  TRACE_HEADER,
  type TraceCarrier,
} from '../src/domain/run-context.ts';
import { rootCause } from './failures.ts';

/** Receives the spans of ended runs; not called during replay. */
export interface TracingSinks extends Sinks {
  tracing: Sink & { runEnded(run: EndedRun): void };
}

const { tracing } = proxySinks<TracingSinks>();

/** Creates the interceptors of one run. */
export function interceptors(): WorkflowInterceptors {
  let requestId: string | undefined;
  let span: RunSpan | null = null;
  let headers: Headers = {};

  return {
    inbound: [
      {
        execute(input, next) {
          // Not available before the run begins.
          ({ requestId } = (workflowInfo().memo ?? {}) as RequestMemo);
          const trace = input.headers[TRACE_HEADER];
          const carrier = trace ? defaultPayloadConverter.fromPayload<TraceCarrier>(trace) : {};
          span = spanOfRun(carrier, workflowInfo().runId);
          headers = {
            ...(span && { [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrierOf(span)) }),
            ...(requestId !== undefined && {
              [REQUEST_ID_HEADER]: defaultPayloadConverter.toPayload(requestId),
            }),
          };
          const result = next(input);
          if (span?.sampled) reportEnd(span, result);
          return result;
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next({ ...input, headers: { ...input.headers, ...headers } }),
        scheduleLocalActivity: (input, next) => next({ ...input, headers: { ...input.headers, ...headers } }),
        startChildWorkflowExecution: (input, next) =>
          next({
            ...input,
            headers: { ...input.headers, ...headers },
            options:
              requestId === undefined
                ? input.options
                : { ...input.options, memo: { ...input.options.memo, requestId } },
          }),
        getLogAttributes: (input, next) =>
          next({
            ...input,
            ...(requestId !== undefined && { request_id: requestId }),
            ...(span && { trace_id: span.traceId, span_id: span.spanId }),
          }),
      },
    ],
  };
}

/** Reports the end of a run without a change of its result or timing. */
function reportEnd(span: RunSpan, result: Promise<unknown>): void {
  const startedAt = workflowInfo().runStartTime.getTime();
  result.then(
    () => tracing.runEnded({ span, startedAt, failure: null }),
    (error: unknown) => tracing.runEnded({ span, startedAt, failure: rootCause(error).message }),
  );
}
