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

/** Whether another try of the failed activity can help: not after a rejection or a cancellation. */
export function canGoOn(error: unknown): boolean {
  if (isCancellation(error)) return false;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && !cause.nonRetryable);
}

/**
 * Awaits an activity that is retried without end, and that a cancelled run waits for. Temporal does not retry it after the
 * cancellation: a failure that another try could mend counts as the cancellation.
 */
export async function endOf<T>(activity: Promise<T>): Promise<T> {
  try {
    return await activity;
  } catch (error) {
    const { consideredCancelled, cancelRequested } = CancellationScope.current();
    if (consideredCancelled && canGoOn(error)) await cancelRequested;
    throw error;
  }
}
