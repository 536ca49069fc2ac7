/**
 * The six steps of an insert, each idempotent (decision §six-steps). A set flag is not set again. A
 * case is opened under the submission's uuid and found again. A section is put, not added.
 */
import { Context } from '@temporalio/activity';
import type { InsertStep } from '../src/contract/steps.ts';
import type {
  AcceptedStep,
  CompletedStep,
  StepAttachment,
  StepSubmission,
} from '../src/database/repositories/insert-steps.ts';
import { InsertingPaused, StaleRun, StepTakesTime } from '../src/domain/errors.ts';
import { pauseMessage } from '../src/domain/inserting-pause.ts';
import type { OpenCase } from '../src/domain/regulator-case.ts';
import { perStep } from '../src/domain/steps.ts';
import type { CallOptions } from '../src/regulator/port.ts';
import { actor, runId } from './actor.ts';
import type { InsertDependencies } from './dependencies.ts';
import { heartbeating } from './heartbeating.ts';
import type { StepsAhead } from './steps-ahead.ts';

type Report = (details: unknown) => void;

/** Longest wait of one try for a login or the end of a pause. The next try then repeats the reason in the Web UI. */
const WAIT_MS = 60_000;
const POLL_MS = 1_000;
/** Bytes of a step's attachments in a local activity. Larger steps become activities, which the Web UI shows. */
const LOCAL_ATTACHMENT_BYTES = 1024 * 1024;
/** Longer steps count as slow. A cancellation does not reach a run between two local steps. */
const SLOW_MS = 1_000;

export interface StepResult {
  /** Whether the next step should be an activity of its own. */
  slow: boolean;
  /** Set by the last step. */
  inserted?: { caseId: string | null };
}

/** @param ahead keeps the step's data, which the previous step or the beginning of the run has loaded */
export function createInsertSteps(dependencies: InsertDependencies, ahead: StepsAhead) {
  const { database, regulator, sessions, slots, storage, insertWorkflows } = dependencies;

  async function run(step: InsertStep, submissionId: number, report: Report): Promise<StepResult> {
    const started = performance.now();
    const submission = ahead.take(runId(), step) ?? (await enter(step, submissionId));
    const completed = submission === null ? null : await work(step, submission, report);
    if (completed?.kind === 'next') ahead.keep(runId(), completed);
    const slow = performance.now() - started > SLOW_MS;
    return completed?.kind === 'inserted' ? { slow, inserted: { caseId: completed.caseId } } : { slow };
  }

  async function work(step: InsertStep, submission: StepSubmission, report: Report): Promise<CompletedStep> {
    if (submission.section === null) return complete(step, submission, {});
    const { info, cancellationSignal } = Context.current();
    const bytes = submission.attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (info.isLocal && bytes > LOCAL_ATTACHMENT_BYTES)
      throw new StepTakesTime(`The section comes with ${bytes} bytes of attachments`);
    await afterFirstTryWait(report);
    const accepted = await slots.use(cancellationSignal, (signal) => {
      const options = { signal, ...(info.isLocal && { patienceMs: SLOW_MS }) };
      return sessions.use((token) => send(token, submission, step, options));
    });
    // After the slot is returned: other calls to the regulator use it meanwhile.
    return complete(step, submission, accepted);
  }

  async function send(
    token: string,
    submission: StepSubmission,
    step: InsertStep,
    options: CallOptions,
  ): Promise<AcceptedStep> {
    const begun = performance.now();
    const { caseId, opened } = await caseOf(token, submission, options);
    try {
      refuseToBeSlow(begun);
      const sent = await sendAttachments(token, caseId, submission.attachments, options);
      const { modifiedDate } = await regulator.sendSection(token, caseId, step, submission.section, options);
      return { ...(opened && { opened }), modifiedDate, sent };
    } catch (error) {
      if (opened) await keepCase(submission, opened);
      throw error;
    }
  }

  function complete(
    step: InsertStep,
    submission: StepSubmission,
    accepted: AcceptedStep,
  ): Promise<CompletedStep> {
    return database.insertSteps.completeStep(submission, step, { runId: runId(), actor: actor() }, accepted);
  }

  /**
   * Null when the step is done.
   *
   * @throws StaleRun when another run owns the submission
   */
  async function enter(step: InsertStep, submissionId: number): Promise<StepSubmission | null> {
    const entry = await database.insertSteps.enterStep(submissionId, step, runId());
    if (entry.kind === 'done') return null;
    if (entry.kind === 'open') return entry.submission;
    const stale = () =>
      new StaleRun(`Submission ${submissionId} belongs to run ${entry.jobId}; this run has nothing to do`);
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

  async function caseOf(
    token: string,
    { uuid, productId, productTypeCode, submissionTypeCode, caseId }: StepSubmission,
    options: CallOptions,
  ): Promise<{ caseId: string; opened?: OpenCase }> {
    if (caseId !== null) return { caseId };
    // The case is recorded together with the accepted step.
    const open = { clientReference: uuid, productId, productTypeCode, submissionTypeCode };
    const opened = await regulator.openCase(token, open, options);
    return { caseId: opened.caseId, opened };
  }

  /**
   * Checked between two calls, so that no call is interrupted and repeated.
   *
   * @throws StepTakesTime
   */
  function refuseToBeSlow(begun: number): void {
    if (Context.current().info.isLocal && performance.now() - begun > SLOW_MS)
      throw new StepTakesTime('The regulator takes its time');
  }

  /** Records the case for the next try. If the record is lost, too, the same reference finds the same case. */
  async function keepCase(submission: StepSubmission, opened: OpenCase): Promise<void> {
    submission.caseId = opened.caseId;
    await database.insertSteps.recordCase(submission.id, opened);
  }

  /**
   * Sends the attachments of a section before the section. Attachments that were sent before, with any section, are not
   * sent again. A large attachment is recorded at once, so that a retry continues after it. The links of the others are
   * returned, to be recorded with the step.
   */
  async function sendAttachments(
    token: string,
    caseId: string,
    attachments: readonly StepAttachment[],
    options: CallOptions,
  ): Promise<number[]> {
    const sent: number[] = [];
    for (const { linkId, storageKey, ...attachment } of attachments) {
      await using stored = new AsyncDisposableStack();
      const content = async () => {
        const file = stored.adopt(await storage.open(storageKey), (opened) => opened.close());
        return file.stream(0, file.sizeBytes);
      };
      await regulator.sendAttachment(token, caseId, { ...attachment, content }, options);
      if (attachment.sizeBytes > LOCAL_ATTACHMENT_BYTES) await database.referredFiles.recordSent(linkId);
      else sent.push(linkId);
    }
    return sent;
  }

  /**
   * During a pause or without a session, the first try fails at once, so that the Web UI shows the reason. Later tries
   * wait and continue within a second of its end.
   */
  async function afterFirstTryWait(report: Report): Promise<void> {
    const { info, cancellationSignal } = Context.current();
    const giveUpAt = Date.now() + (info.isLocal || info.attempt === 1 ? 0 : WAIT_MS);
    for (;;) {
      const pause = await database.insertingPause.lately();
      const waitsFor = pause === null ? await missingSession(info.attempt) : pauseMessage(pause);
      if (waitsFor === null) return;
      if (Date.now() >= giveUpAt) {
        if (pause !== null) throw new InsertingPaused(pauseMessage(pause));
        return; // The call itself fails with the state of the session.
      }
      report(waitsFor);
      cancellationSignal.throwIfAborted();
      await Context.current().sleep(POLL_MS);
    }
  }

  /** The first try skips this check: its call to the regulator gives a better answer. */
  async function missingSession(attempt: number): Promise<string | null> {
    if (attempt === 1) return null;
    const { status } = await sessions.state();
    return status === 'active' ? null : `Waiting for a regulator session (${status})`;
  }

  return perStep(
    (step) => (args: { submissionId: number }) =>
      // Local activities have no heartbeats: their workflow task has them.
      Context.current().info.isLocal
        ? run(step, args.submissionId, () => {})
        : heartbeating((report) => run(step, args.submissionId, report)),
  );
}
