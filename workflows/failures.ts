/** Reads Temporal's failures: the innermost reason is the useful one. */
import { ApplicationFailure } from '@temporalio/workflow';

/** The message and type at the bottom of a chain of activity and child workflow failures. */
export function rootCause(error: unknown): { message: string; type: string } {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  const message = current instanceof Error ? current.message : String(current);
  const type =
    current instanceof ApplicationFailure
      ? (current.type ?? 'Error')
      : current instanceof Error
        ? current.name
        : 'Error';
  return { message, type };
}
