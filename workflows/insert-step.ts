/**
 * One step of an insert. The first try is a local activity: without an activity task it costs a sixth of the events. If
 * it fails with a retryable error, or has to wait (no session, a limit, a slow regulator, large attachments), the step
 * becomes an activity, with retries, heartbeats, and a reason in the Web UI.
 */
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { StepResult } from '../activities/index.ts';
import type { InsertStep } from '../src/contract/steps.ts';
import { localSteps, steps } from './activity-proxies.ts';

/** Runs the steps of one insert, as local activities if possible. */
export function createStepRunner(submissionId: number): (step: InsertStep) => Promise<StepResult> {
  /**
   * After a slow or waiting step, all later steps are activities: they would be slow as well, and a cancellation must
   * reach them.
   */
  let visibly = false;

  return async (step) => {
    if (!visibly) {
      try {
        const result = await localSteps[step]({ submissionId });
        visibly = result.slow;
        return result;
      } catch (error) {
        if (!canGoOn(error)) throw error;
        visibly = true;
      }
    }
    return steps[step]({ submissionId });
  };
}

/** Whether another try can help: not after a rejection or a cancellation of the insert. */
function canGoOn(error: unknown): boolean {
  if (isCancellation(error)) return false;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && !cause.nonRetryable);
}
