/** What has ended, or was never there, need not be ended or looked at. */
import { WorkflowNotFoundError } from '@temporalio/client';

/** For the `catch` of a question about a run. @throws every other error */
export function unlessGone(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
