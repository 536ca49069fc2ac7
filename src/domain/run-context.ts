/**
 * The request context of a workflow run: its trace (W3C Trace Context) and the id of the request that started it.
 * The run passes both on to its activities and children.
 */

/** Temporal header with the trace. The SDK's own interceptors for clients and activities use the same one. */
export const TRACE_HEADER = '_tracer-data';
/** Temporal header from a run to its activities. */
export const REQUEST_ID_HEADER = 'request-id';

/** Memo of the runs that a request starts: the request id that its client and the log have. */
export interface RequestMemo {
  requestId?: string;
}

/** Content of the trace header. */
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
  /** Whether this trace is recorded. */
  sampled: boolean;
  traceState: string | undefined;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * The span of a run. It is derived from the run id, so that every replay of the history gives the same span. Null if
 * the run belongs to no trace.
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

/** Trace header for the run's activities and children. The run is their parent. */
export function carrierOf({ traceId, spanId, sampled, traceState }: RunSpan): TraceCarrier {
  return {
    traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`,
    ...(traceState !== undefined && { tracestate: traceState }),
  };
}

/** An ended run, for the trace exporter. */
export interface EndedRun {
  span: RunSpan;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Why it failed; null if it succeeded. */
  failure: string | null;
}
