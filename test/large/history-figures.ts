/** Figures of a history. */
import type { WorkflowHandle } from '@temporalio/client';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** Bytes of the greatest single payload anywhere in a history: arguments, results, memos, headers, details. */
export function greatestPayload(history: History): number {
  let greatest = 0;
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    if (value instanceof Uint8Array) {
      greatest = Math.max(greatest, value.length);
      return;
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(history.events);
  return greatest;
}

/** Children initiated and not closed, at the worst moment. */
export function mostPendingChildren({ events }: History): number {
  let pending = 0;
  let most = 0;
  for (const event of events ?? []) {
    if (event.startChildWorkflowExecutionInitiatedEventAttributes) pending += 1;
    const closed =
      event.startChildWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCompletedEventAttributes ??
      event.childWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCanceledEventAttributes ??
      event.childWorkflowExecutionTimedOutEventAttributes ??
      event.childWorkflowExecutionTerminatedEventAttributes;
    if (closed) pending -= 1;
    most = Math.max(most, pending);
  }
  return most;
}
