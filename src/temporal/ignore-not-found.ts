/** Ignores a workflow that has ended or never existed. */
import { WorkflowNotFoundError } from '@temporalio/client';

/** For the `catch` of a request about a run. @throws every other error */
export function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
