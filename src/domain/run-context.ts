/**
 * What a workflow run carries from the request that it began with: the trace that it is a part of (W3C Trace
 * Context) and the request's id. The run passes both on to its activities and children.
 */

/** Temporal header with the trace: the one of the SDK's own interceptors for clients and activities. */
export const TRACE_HEADER = '_tracer-data';
/** Temporal header from a run to its activities. */
export const REQUEST_ID_HEADER = 'request-id';

/** Memo of the runs that a request has begun: the id that its client got, and that its lines in the log have. */
export interface RequestMemo {
  requestId?: string;
}

/** As the header has it. */
export interface TraceCarrier {
  /** `00-<trace id>-<span id>-<flags>` (W3C Trace Context §3.2). */
  traceparent?: string;
  tracestate?: string;
}

/** A run as a span of its trace. */
export interface RunSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  /** Whether anybody records this trace. */
  sampled: boolean;
  traceState: string | undefined;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * The span of a run is named after the run, so that every replay of its history finds the same one. Null when
 * the run is no part of a trace.
 *
 * @param runId a UUID; its second half is random
 */
export function spanOfRun({ traceparent, tracestate }: TraceCarrier, runId: string): RunSpan | null {
  const [, traceId, parentSpanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || parentSpanId === undefined || flags === undefined) return null;
  return {
    traceId,
    parentSpanId,
    spanId: runId.replaceAll('-', '').slice(-16),
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
    traceState: tracestate,
  };
}

/** What the run's activities and children get: the run is their parent. */
export function carrierOf({ traceId, spanId, sampled, traceState }: RunSpan): TraceCarrier {
  return {
    traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`,
    ...(traceState !== undefined && { tracestate: traceState }),
  };
}

/** A run that has ended, for whoever records traces. */
export interface EndedRun {
  span: RunSpan;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Why it failed; null when it did not. */
  failure: string | null;
}
