/**
 * The six steps of an insert, each idempotent (decision §six-steps). A set flag is not set again. A
 * case is opened under the submission's uuid and found again. A section is put, not added.
 */
import { Context } from '@temporalio/activity';
import { createSemaphore } from '../src/common/semaphore.ts';
import type { InsertStep } from '../src/contract/steps.ts';
import type { AcceptedStep } from '../src/database/repositories/insert-steps.ts';
import type { StepSubmission } from '../src/database/step-data.ts';
import { LOCAL_STEP_BYTES, perStep } from '../src/domain/steps.ts';
import type { CallOptions } from '../src/regulator/port.ts';
import { actor, heartbeating, interruption, runId } from './activity-context.ts';
import type { InsertDependencies } from './dependencies.ts';
import { type NextStepCache, StaleRun } from './insert-records.ts';
import { waitToInsert } from './insert-waits.ts';
import { refuseLargeStep, SLOW_MS, sendStep } from './send-step.ts';

export interface StepResult {
  /** Whether the next step should be an activity of its own. */
  slow: boolean;
  /** Set by the last step. */
  inserted?: { caseId: string | null };
}

/** Memory of the large sections that a process is sending. */
const LARGE_SECTIONS_BYTES = 16 * 1024 * 1024;

type Report = (details: unknown) => void;

/** @param nextStep keeps the step's data, which the previous step or the beginning of the run has loaded */
export function createInsertSteps(dependencies: InsertDependencies, nextStep: NextStepCache) {
  const { database, insertWorkflows, sessions, slots } = dependencies;
  const largeSections = createSemaphore(LARGE_SECTIONS_BYTES);
  return perStep(
    (step) =>
      ({ submissionId }: { submissionId: number }) =>
        // Local activities have no heartbeats: their workflow task has them.
        Context.current().info.isLocal
          ? runStep(step, submissionId, () => {})
          : heartbeating((report) => runStep(step, submissionId, report)),
  );

  /** Runs a step: loads its data, a large section within the memory for those, and does it. */
  async function runStep(step: InsertStep, id: number, report: Report): Promise<StepResult> {
    const { info, cancellationSignal } = Context.current();
    const loaded = nextStep.take(runId(), step) ?? (await enter(step, id));
    if (loaded === null) return { slow: false };
    const { sectionBytes } = loaded;
    if (info.isLocal || sectionBytes <= LOCAL_STEP_BYTES) return doStep(step, loaded, report);
    const release = await largeSections.reserve(sectionBytes, cancellationSignal);
    try {
      const whole = await enter(step, id, sectionBytes);
      return whole === null ? { slow: false } : await doStep(step, whole, report);
    } finally {
      release();
    }
  }

  /** Waits until the step may begin, sends it, and completes it. */
  async function doStep(step: InsertStep, submission: StepSubmission, report: Report): Promise<StepResult> {
    const { section, sectionBytes } = submission;
    if (sectionBytes > 0) {
      refuseLargeStep(submission);
      await waitToInsert(dependencies, report);
    }
    // The wait does not make a step slow: the next one need not wait.
    const started = performance.now();
    // The slot is returned before the step is completed: other calls to the regulator use it meanwhile.
    const accepted = section === null ? {} : await send(step, submission, section);
    const run = { runId: runId(), actor: actor() };
    const completed = await database.insertSteps.completeStep(submission, step, run, accepted);
    if (completed.kind === 'next') nextStep.keep(runId(), completed);
    const slow = performance.now() - started > SLOW_MS;
    return completed.kind === 'inserted' ? { slow, inserted: { caseId: completed.caseId } } : { slow };
  }

  /**
   * Sends a step within a slot for calls, with the token of the session. A cancellation ends every wait, and lets the
   * call under way finish.
   */
  function send(step: InsertStep, submission: StepSubmission, section: string): Promise<AcceptedStep> {
    const { info, cancellationSignal } = Context.current();
    const sendWithin = (signal: AbortSignal) => {
      const waitSignal = AbortSignal.any([signal, cancellationSignal]);
      const options: CallOptions = { signal, waitSignal, ...(info.isLocal && { maxWaitMs: SLOW_MS }) };
      const call = (token: string) => sendStep(dependencies, token, { step, submission, section }, options);
      return sessions.use(call, waitSignal);
    };
    return slots.use(interruption(), sendWithin, cancellationSignal);
  }

  /**
   * Loads the data of a step and begins it. Null when the step is done.
   *
   * @param maxBytes size up to which the section is loaded; by default that of a local step
   * @throws StaleRun when another run owns the submission
   */
  async function enter(step: InsertStep, id: number, maxBytes?: number): Promise<StepSubmission | null> {
    const entry = await database.insertSteps.enterStep(id, step, runId(), maxBytes);
    if (entry.kind === 'done') return null;
    if (entry.kind === 'open') return entry.submission;
    const stale = () =>
      new StaleRun(
        `Submission ${id} belongs to run ${entry.jobId}. This run ends without a call to the regulator.`,
      );
    // A run that was reset to its middle has not begun under its id. It takes over if it is the product's current run.
    const current = await insertWorkflows.current(entry.productId);
    if (current?.runId !== runId()) throw stale();
    const { decision } = await database.insertRuns.begin(id, runId(), actor());
    if (decision.kind === 'inserted') return null;
    if (decision.kind !== 'run') throw stale();
    const again = await database.insertSteps.enterStep(id, step, runId(), maxBytes);
    return again.kind === 'open' ? again.submission : null;
  }
}
