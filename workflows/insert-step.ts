/**
 * One step of an insert. It is tried here first, as a local activity: without a task of its own it costs a sixth of the
 * events. When that fails in a way that is worth repeating, or the step has to wait (no session, a limit, a slow
 * regulator, large attachments), it becomes an activity of its own: with retries, heartbeats, and its reason where
 * operators look.
 */
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { StepResult } from '../activities/index.ts';
import type { InsertStep } from '../src/contract/steps.ts';
import { localSteps, steps } from './activity-proxies.ts';

/** Runs the steps of one insert, each as cheaply as the ones before allow. */
export function createStepRunner(submissionId: number): (step: InsertStep) => Promise<StepResult> {
  /** Once a step was slow or had to wait, the next ones would be and have to as well: a cancellation must get through. */
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

/** Whether another try can help: neither after a rejection, nor when the insert was cancelled. */
function canGoOn(error: unknown): boolean {
  if (isCancellation(error)) return false;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && !cause.nonRetryable);
}
