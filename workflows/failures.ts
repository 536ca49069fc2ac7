/** Reads Temporal's failures: the innermost reason is the useful one. */
import { ApplicationFailure } from '@temporalio/workflow';
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
