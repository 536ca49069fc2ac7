import { Context } from '@temporalio/activity';

/** The actor of an activity in the audit trail: the workflow run that called it. */
export function actor(): string {
  const execution = Context.current().info.workflowExecution;
  return execution ? `workflow:${execution.workflowId}/${execution.runId}` : 'service:activity';
}

/** The run id of the workflow that called the activity. */
export function runId(): string {
  const execution = Context.current().info.workflowExecution;
  if (!execution) throw new Error('Only workflows may call this activity');
  return execution.runId;
}

/**
 * Signal that a call of this attempt must end: the worker stops, or the time of the attempt is over. A requested
 * cancellation does not abort it.
 */
export function interruption(): AbortSignal {
  const context = Context.current();
  const { cancellationSignal, info } = context;
  const timeoutAt = performance.now() + info.startToCloseTimeoutMs;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(cancellationSignal.reason);
  const onCancel = () => {
    if (!context.cancellationDetails?.cancelRequested) interrupt();
    // Temporal's signal cannot report the timeout after the cancellation. Another attempt has heartbeats, and a longer
    // timeout than its calls.
    else if (info.isLocal) setTimeout(interrupt, timeoutAt - performance.now()).unref();
  };
  cancellationSignal.addEventListener('abort', onCancel, { once: true });
  return interrupted.signal;
}

/** Several heartbeats fit into the heartbeat timeout, also on a busy machine (workflows/activity-proxies.ts). */
const INTERVAL_MS = 2_000;

/**
 * Sends heartbeats during the work. They carry the details of the previous attempt until the work reports its own.
 *
 * @param work gets a function that sets the details of the following heartbeats
 */
export async function heartbeating<T>(work: (report: (details: unknown) => void) => Promise<T>): Promise<T> {
  const context = Context.current();
  let details: unknown = context.info.heartbeatDetails;
  const timer = setInterval(() => context.heartbeat(details), INTERVAL_MS);
  try {
    return await work((changed) => {
      details = changed;
      context.heartbeat(details);
    });
  } finally {
    clearInterval(timer);
  }
}
