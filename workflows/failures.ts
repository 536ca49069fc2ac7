/** Reads Temporal's failures: the innermost reason is the useful one. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import { plainReason } from '../src/contract/reasons.ts';
import type { Reason } from '../src/contract/types.ts';

interface RootCause {
  message: string;
  type: string;
  /** The message as data, with places in the product if the activity gave them (activities/failure-mapping.ts). */
  reasons: Reason[];
}

/** The failure at the bottom of a chain of activity and child workflow failures. */
export function rootCause(error: unknown): RootCause {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  const message = current instanceof Error ? current.message : String(current);
  const type =
    current instanceof ApplicationFailure
      ? (current.type ?? 'Error')
      : current instanceof Error
        ? current.name
        : 'Error';
  const [reasons] = current instanceof ApplicationFailure ? (current.details ?? []) : [];
  return { message, type, reasons: Array.isArray(reasons) ? reasons : [plainReason(message)] };
}

/**
 * Awaits a local activity. If it fails and another attempt can help, the ordinary activity follows: the server retries
 * it, which adds no events to the history, and the Web UI shows its last failure.
 *
 * @param activity starts the ordinary activity; gets the failure of the local one
 */
export async function locallyFirst<T>(
  local: Promise<T>,
  activity: (failure: unknown) => Promise<T>,
): Promise<T> {
  try {
    return await local;
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return activity(error);
  }
}

/** Whether another attempt of the failed activity can help: not after a rejection or a cancellation. */
function isRetryable(error: unknown): boolean {
  if (isCancellation(error)) return false;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && !cause.nonRetryable);
}

/**
 * Awaits an activity that is retried without end, and that a cancelled run waits for. Temporal does not retry it after
 * the cancellation: a failure that another attempt could mend counts as the cancellation.
 */
export async function activityResult<T>(activity: Promise<T>): Promise<T> {
  try {
    return await activity;
  } catch (error) {
    const { consideredCancelled, cancelRequested } = CancellationScope.current();
    if (consideredCancelled && isRetryable(error)) await cancelRequested;
    throw error;
  }
}
