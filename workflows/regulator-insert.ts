/** The insert of one submission into the regulator's system: six steps in order (decision §six-steps). */
import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { StepResult } from '../activities/insert-steps.ts';
import { excerpt } from '../src/common/text.ts';
import { plainReason, reasonsText } from '../src/contract/reasons.ts';
import { INSERT_STEPS, type InsertStep } from '../src/contract/steps.ts';
import { INSERT_CANCELLED } from '../src/domain/queue.ts';
import type { FailedInsertMemo } from '../src/domain/start-options.ts';
import { STEP_TITLES } from '../src/domain/steps.ts';
import { localSteps, records, steps, withSummaries } from './activity-proxies.ts';
import { activityResult, locallyFirst, rootCause } from './failures.ts';
import type { RegulatorInsertInput, RegulatorInsertResult } from './messages.ts';

/** Characters of a reason in the memo. The failure has the whole reason. */
const MEMO_REASON_LENGTH = 1_000;

export async function regulatorInsert({
  submissionId,
}: RegulatorInsertInput): Promise<RegulatorInsertResult> {
  const { runId } = workflowInfo();
  const run = { submissionId, runId };
  let current: InsertStep | null = null;
  let hasBegun = false;
  try {
    const decision = await records.beginInsert(run);
    hasBegun = true;
    if (decision.kind === 'superseded') {
      setCurrentDetails(`Not inserted: superseded by submission ${decision.by} of the same product.`);
      return { outcome: 'superseded', by: decision.by };
    }
    if (decision.kind === 'inserted') {
      const { caseId, by } = decision;
      setCurrentDetails(`Already inserted as case ${caseId} by submission ${by}.`);
      return by === submissionId ? { outcome: 'inserted', caseId } : { outcome: 'duplicate', caseId, by };
    }
    if (decision.kind === 'ended') throw ApplicationFailure.nonRetryable(decision.reason);
    const runStep = createStepRunner(submissionId);
    let inserted: StepResult['inserted'];
    for (const step of decision.steps) {
      current = step;
      setCurrentDetails(`${stepText(step)}.`);
      ({ inserted } = await runStep(step));
    }
    // The last step returns the case, unless it was done before this run. A cancellation comes too late.
    const { caseId } = inserted ?? (await CancellationScope.nonCancellable(() => records.finishInsert(run)));
    setCurrentDetails(`Inserted as case ${caseId}.`);
    return { outcome: 'inserted', caseId };
  } catch (error) {
    const cause = rootCause(error);
    const reasons = isCancellation(error) ? [plainReason(INSERT_CANCELLED)] : cause.reasons;
    const failedStep = current === null ? null : stepText(current, ' failed');
    const { failInsert } =
      failedStep === null ? records : withSummaries({ failInsert: `${failedStep}. Record the reason` });
    const failure = { ...run, reasons, type: cause.type, hasBegun };
    await CancellationScope.nonCancellable(() => failInsert(failure));
    const reason = reasonsText(reasons);
    setCurrentDetails(`${failedStep ?? 'Failed'}. ${reason}`);
    upsertMemo({ failedStep, reason: excerpt(reason, MEMO_REASON_LENGTH) } satisfies FailedInsertMemo);
    if (isCancellation(error)) throw error;
    throw ApplicationFailure.create({ message: cause.message, type: cause.type, nonRetryable: true });
  }
}

/** `Step 4 of 6: Send the design`, for the Web UI. @param state follows the number */
function stepText(step: InsertStep, state = ''): string {
  return `Step ${INSERT_STEPS.indexOf(step) + 1} of ${INSERT_STEPS.length}${state}: ${STEP_TITLES[step]}`;
}

/**
 * Runs the steps of one insert. The first attempt of a step is a local activity: without an activity task it costs a
 * sixth of the events. If it fails with a retryable error, or has to wait (no session, a limit, a slow regulator, large
 * attachments), the step becomes an activity, with retries, heartbeats, and a reason in the Web UI.
 */
function createStepRunner(submissionId: number): (step: InsertStep) => Promise<StepResult> {
  /** After a slow step, the next step is an activity: it would be slow as well, and a cancellation must reach it. */
  let slow = false;

  return async (step) => {
    const asActivity = () => activityResult(steps[step]({ submissionId }));
    const result = slow
      ? await asActivity()
      : await locallyFirst(localSteps[step]({ submissionId }), (failure) => {
          setCurrentDetails(`${stepText(step)}. ${rootCause(failure).message}`);
          return asActivity();
        });
    ({ slow } = result);
    return result;
  };
}
