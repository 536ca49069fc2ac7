/** The insert of one submission into the regulator's system: six steps in order (decision §six-steps). */
import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { StepResult } from '../activities/index.ts';
import { INSERT_STEPS } from '../src/contract/steps.ts';
import { INSERT_CANCELLED } from '../src/domain/queue.ts';
import { STEP_TITLES } from '../src/domain/steps.ts';
import { insertRecords } from './activity-proxies.ts';
import { rootCause } from './failures.ts';
import { createStepRunner } from './insert-step.ts';
import type { RegulatorInsertInput, RegulatorInsertResult } from './messages.ts';

export async function regulatorInsert({
  submissionId,
}: RegulatorInsertInput): Promise<RegulatorInsertResult> {
  const { runId } = workflowInfo();
  try {
    const decision = await insertRecords.beginInsert({ submissionId, runId });
    if (decision.kind === 'superseded') {
      setCurrentDetails(`Nothing done: superseded by submission ${decision.by} of the same product.`);
      return { outcome: 'superseded', by: decision.by };
    }
    if (decision.kind === 'inserted') {
      const { caseId, by } = decision;
      setCurrentDetails(`Nothing to do: inserted as case ${caseId} by submission ${by}.`);
      return by === submissionId ? { outcome: 'inserted', caseId } : { outcome: 'duplicate', caseId, by };
    }
    if (decision.kind === 'ended') throw ApplicationFailure.nonRetryable(decision.reason);
    const runStep = createStepRunner(submissionId);
    let inserted: StepResult['inserted'];
    for (const step of decision.steps) {
      setCurrentDetails(
        `Step ${INSERT_STEPS.indexOf(step) + 1} of ${INSERT_STEPS.length}: ${STEP_TITLES[step]}.`,
      );
      ({ inserted } = await runStep(step));
    }
    // The last step returns the case, unless it was done before this run.
    const { caseId } = inserted ?? (await insertRecords.finishInsert({ submissionId, runId }));
    setCurrentDetails(`Inserted as case ${caseId}.`);
    return { outcome: 'inserted', caseId };
  } catch (error) {
    const reason = isCancellation(error) ? INSERT_CANCELLED : rootCause(error).message;
    await CancellationScope.nonCancellable(() => insertRecords.failInsert({ submissionId, runId, reason }));
    setCurrentDetails(`Failed: ${reason}`);
    if (isCancellation(error)) throw error;
    throw ApplicationFailure.create({ message: reason, type: rootCause(error).type, nonRetryable: true });
  }
}
