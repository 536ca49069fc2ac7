/**
 * Maps our errors to Temporal's failures: the type that workflows and operators see, whether a retry can help, and
 * when.
 */
import { log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { excerpt, messageOf } from '../src/common/text.ts';
import { DomainError } from '../src/domain/errors.ts';

// biome-ignore lint/suspicious/noExplicitAny: any function will do; its own type is kept.
type Activity = (...args: any[]) => Promise<unknown>;

/** Wraps every activity, so that its errors keep their meaning in the workflow. */
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
 * Errors outside the catalogue are bugs or infrastructure failures (database, storage): they are retried. Their details
 * go to the log, because many people read histories: a failure there must not hold statements or data.
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
      ...(error.reasons && { details: [error.reasons] }),
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

/** Drops the SQL statement: database drivers put it in front of the reason. */
function briefly(error: unknown): string {
  const message = messageOf(error);
  const reason = /^(?:insert|update|select|delete|with|begin|commit)\b/i.test(message)
    ? message.slice(message.lastIndexOf(' - ') + 1)
    : message;
  return reason.trim();
}
