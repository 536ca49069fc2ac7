/**
 * From our errors to Temporal's failures: the type by which workflows and operators tell them apart,
 * whether a retry can help, and when.
 */
import { log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { DomainError, messageOf } from '../src/domain/errors.ts';
import { excerpt } from '../src/domain/text.ts';

// biome-ignore lint/suspicious/noExplicitAny: any function will do; its own type is kept.
type Activity = (...args: any[]) => Promise<unknown>;

/** Wraps every activity, so that what it throws arrives in the workflow with its meaning. */
export function mapFailures<T extends Record<string, Activity>>(activities: T): T {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await activity(...args);
      } catch (error) {
        throw failureOf(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}

/**
 * What is not in the catalogue is a fault of ours or of what we stand on (database, storage): retried.
 * Its details go to the log; a failure in a history is read by many, and may not hold statements or data.
 */
export function failureOf(error: unknown): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (error instanceof Error && error.name === 'AbortError') return error;
  if (error instanceof DomainError) {
    return ApplicationFailure.create({
      type: error.name,
      message: error.message,
      nonRetryable: error.permanent,
      ...(error.expected && { category: ApplicationFailureCategory.BENIGN }),
      ...(error.retryAfterSeconds !== undefined && { nextRetryDelay: error.retryAfterSeconds * 1000 }),
    });
  }
  log.error('Activity failed', { error });
  const name = error instanceof Error ? error.name : 'Error';
  return ApplicationFailure.create({
    type: name,
    message: excerpt(briefly(error), 300),
    nonRetryable: false,
  });
}

/** Database drivers put the whole statement in front of the reason. */
function briefly(error: unknown): string {
  const message = messageOf(error);
  const reason = /^(?:insert|update|select|delete|with|begin|commit)\b/i.test(message)
    ? message.slice(message.lastIndexOf(' - ') + 1)
    : message;
  return reason.trim();
}
