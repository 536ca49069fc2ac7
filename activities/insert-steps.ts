/**
 * The six steps against the regulator, each idempotent: a flag that is set is not set again, a case is
 * opened under the submission's uuid and found again, a section is put and not added
 * (architecture §steps-can-be-repeated).
 */
import { Context } from '@temporalio/activity';
import type { StepSubmission } from '../src/database/repositories/insert-runs.ts';
import { StaleRun } from '../src/domain/errors.ts';
import { type InsertStep, perStep } from '../src/domain/steps.ts';
import { actor, runId } from './actor.ts';
import type { InsertDependencies } from './dependencies.ts';
import { heartbeating } from './heartbeating.ts';

/** How long one try waits for a login before it says again, in the Web UI, what it waits for. */
const SESSION_WAIT_MS = 60_000;
const SESSION_POLL_MS = 1_000;

export function createInsertSteps(dependencies: InsertDependencies) {
  const { database, regulator, sessions, slots, storage, insertWorkflows } = dependencies;

  async function run(
    step: InsertStep,
    submissionId: number,
    report: (details: unknown) => void,
  ): Promise<void> {
    const submission = await enter(step, submissionId);
    if (submission === null) return;
    if (submission.section === null) {
      await database.insertRuns.completeStep(submissionId, step, {});
      return;
    }
    await sessionAfterFirstTry(report);
    const signal = Context.current().cancellationSignal;
    await slots.use(signal, () => sessions.use((token) => send(token, submission, step, signal)));
  }

  async function send(
    token: string,
    submission: StepSubmission,
    step: InsertStep,
    signal: AbortSignal,
  ): Promise<void> {
    const caseId = submission.caseId ?? (await openCase(token, submission, signal));
    if (submission.hasAttachments) await sendAttachments(token, caseId, submission.id, step, signal);
    const { modifiedDate } = await regulator.sendSection(token, caseId, step, submission.section, { signal });
    await database.insertRuns.completeStep(submission.id, step, { modifiedDate });
  }

  /** Null when there is nothing to do. @throws StaleRun when the submission is not this run's */
  async function enter(step: InsertStep, submissionId: number): Promise<StepSubmission | null> {
    const entry = await database.insertRuns.enterStep(submissionId, step, runId());
    if (entry.kind === 'done') return null;
    if (entry.kind === 'open') return entry.submission;
    const stale = () =>
      new StaleRun(`Submission ${submissionId} belongs to run ${entry.jobId}; this run has nothing to do`);
    // The end of this run is recorded: it was cancelled, and this try is one that has not heard of it.
    if (entry.jobId === runId()) throw stale();
    // A run that was reset to the middle never began here: it may take over if it is the product's current run.
    const current = await insertWorkflows.current(entry.productId);
    if (current?.runId !== runId()) throw stale();
    const decision = await database.insertRuns.begin(submissionId, runId(), actor());
    if (decision.kind === 'inserted') return null;
    if (decision.kind === 'superseded') throw stale();
    const again = await database.insertRuns.enterStep(submissionId, step, runId());
    return again.kind === 'open' ? again.submission : null;
  }

  async function openCase(token: string, submission: StepSubmission, signal: AbortSignal): Promise<string> {
    const { uuid, productId, productTypeCode, submissionTypeCode } = submission;
    const opened = await regulator.openCase(
      token,
      { clientReference: uuid, productId, productTypeCode, submissionTypeCode },
      { signal },
    );
    await database.insertRuns.recordCase(submission.id, opened.caseId, opened);
    // A session that is replaced after this makes the step begin anew.
    submission.caseId = opened.caseId;
    return opened.caseId;
  }

  /** What the section refers to goes before it; what has gone already, with this or another section, does not go again. */
  async function sendAttachments(
    token: string,
    caseId: string,
    submissionId: number,
    step: InsertStep,
    signal: AbortSignal,
  ) {
    for (const { linkId, row } of await database.referredFiles.unsentAttachments(submissionId, step)) {
      await using stored = new AsyncDisposableStack();
      const content = async () => {
        const file = stored.adopt(await storage.open(row.storageKey), (opened) => opened.close());
        return file.stream(0, file.sizeBytes);
      };
      const { attachmentId, fileName, contentType, confidential, sizeBytes, sha256 } = row;
      const attachment = { attachmentId, fileName, contentType, confidential, sizeBytes, sha256, content };
      await regulator.sendAttachment(token, caseId, attachment, { signal });
      await database.referredFiles.recordSent(linkId);
    }
  }

  /**
   * Without a session the first try fails at once, so that the reason stands in the Web UI; later tries
   * wait for the login and go on within a second of it.
   */
  async function sessionAfterFirstTry(report: (details: unknown) => void): Promise<void> {
    const { info, cancellationSignal } = Context.current();
    if (info.attempt === 1) return;
    const giveUpAt = Date.now() + SESSION_WAIT_MS;
    for (;;) {
      const { status } = await sessions.state();
      if (status === 'active' || Date.now() >= giveUpAt) return;
      report(`Waiting for a regulator session (${status})`);
      cancellationSignal.throwIfAborted();
      await Context.current().sleep(SESSION_POLL_MS);
    }
  }

  return perStep(
    (step) => (args: { submissionId: number }) =>
      heartbeating((report) => run(step, args.submissionId, report)),
  );
}
