/**
 * The six steps of an insert, each idempotent (decision §six-steps). A set flag is not set again. A
 * case is opened under the submission's uuid and found again. A section is put, not added.
 */
import { Context } from '@temporalio/activity';
import type { InsertStep } from '../src/contract/steps.ts';
import type { AcceptedStep } from '../src/database/repositories/insert-steps.ts';
import type { StepSubmission } from '../src/database/step-data.ts';
import { perStep } from '../src/domain/steps.ts';
import type { CallOptions } from '../src/regulator/port.ts';
import { actor, heartbeating, runId } from './activity-context.ts';
import type { InsertDependencies } from './dependencies.ts';
import { StaleRun, type StepsAhead } from './insert-records.ts';
import { waitToInsert } from './insert-waits.ts';
import { refuseLargeStep, SLOW_MS, type StepToSend, sendStep } from './send-step.ts';

export interface StepResult {
  /** Whether the next step should be an activity of its own. */
  slow: boolean;
  /** Set by the last step. */
  inserted?: { caseId: string | null };
}

/** @param ahead keeps the step's data, which the previous step or the beginning of the run has loaded */
export function createInsertSteps(dependencies: InsertDependencies, ahead: StepsAhead) {
  return perStep(
    (step) => (args: { submissionId: number }) =>
      // Local activities have no heartbeats: their workflow task has them.
      Context.current().info.isLocal
        ? runStep(dependencies, ahead, step, args.submissionId, () => {})
        : heartbeating((report) => runStep(dependencies, ahead, step, args.submissionId, report)),
  );
}

/** Runs a step: loads its data, waits until it may begin, sends it, and completes it. */
async function runStep(
  dependencies: InsertDependencies,
  ahead: StepsAhead,
  step: InsertStep,
  submissionId: number,
  report: (details: unknown) => void,
): Promise<StepResult> {
  const submission = ahead.take(runId(), step) ?? (await enter(dependencies, step, submissionId));
  if (submission === null) return { slow: false };
  const { section } = submission;
  if (section !== null) {
    refuseLargeStep(submission);
    await waitToInsert(dependencies, report);
  }
  // The wait does not make a step slow: the next one need not wait.
  const started = performance.now();
  // The slot is returned before the step is completed: other calls to the regulator use it meanwhile.
  const accepted = section === null ? {} : await send(dependencies, { step, submission, section });
  const run = { runId: runId(), actor: actor() };
  const completed = await dependencies.database.insertSteps.completeStep(submission, step, run, accepted);
  if (completed.kind === 'next') ahead.keep(runId(), completed);
  const slow = performance.now() - started > SLOW_MS;
  return completed.kind === 'inserted' ? { slow, inserted: { caseId: completed.caseId } } : { slow };
}

/** Sends a step within a slot for calls, with the token of the session. */
async function send(
  dependencies: InsertDependencies,
  toSend: Omit<StepToSend, 'token'>,
): Promise<AcceptedStep> {
  const { info, cancellationSignal } = Context.current();
  return dependencies.slots.use(cancellationSignal, (signal) => {
    const options: CallOptions = info.isLocal ? { signal, patienceMs: SLOW_MS } : { signal };
    return dependencies.sessions.use((token) => sendStep(dependencies, { ...toSend, token }, options));
  });
}

/**
 * Loads the data of a step and begins it. Null when the step is done.
 *
 * @throws StaleRun when another run owns the submission
 */
async function enter(
  { database, insertWorkflows }: InsertDependencies,
  step: InsertStep,
  submissionId: number,
): Promise<StepSubmission | null> {
  const entry = await database.insertSteps.enterStep(submissionId, step, runId());
  if (entry.kind === 'done') return null;
  if (entry.kind === 'open') return entry.submission;
  const stale = () =>
    new StaleRun(
      `Submission ${submissionId} belongs to run ${entry.jobId}. This run ends without a call to the regulator.`,
    );
  // The end of this run is recorded: it was cancelled, and this try has not received the cancellation.
  if (entry.jobId === runId()) throw stale();
  // A run that was reset to its middle has not begun under its id. It takes over if it is the product's current run.
  const current = await insertWorkflows.current(entry.productId);
  if (current?.runId !== runId()) throw stale();
  const { decision } = await database.insertRuns.begin(submissionId, runId(), actor());
  if (decision.kind === 'inserted') return null;
  if (decision.kind !== 'run') throw stale();
  const again = await database.insertSteps.enterStep(submissionId, step, runId());
  return again.kind === 'open' ? again.submission : null;
}
