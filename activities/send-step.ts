/** Sends a step of an insert to the regulator: opens the case, sends the attachments, then the section. */
import { Context } from '@temporalio/activity';
import { fileStream } from '../src/archive/storage.ts';
import type { InsertStep } from '../src/contract/steps.ts';
import type { AcceptedStep } from '../src/database/repositories/insert-steps.ts';
import type { StepAttachment, StepSubmission } from '../src/database/step-data.ts';
import { DomainError } from '../src/domain/errors.ts';
import type { OpenCase } from '../src/domain/regulator.ts';
import { LOCAL_STEP_BYTES } from '../src/domain/steps.ts';
import type { CallOptions, Regulator } from '../src/regulator/port.ts';
import type { InsertDependencies } from './dependencies.ts';

/** Longer steps count as slow. A cancellation does not reach a run between two local steps. */
export const SLOW_MS = 1_000;

/**
 * A step takes longer than a local activity may. It continues as an activity of its own
 * (workflows/regulator-insert.ts).
 */
class StepTakesTime extends DomainError {
  readonly permanent = false;
}

/**
 * Refuses a large step in a local activity.
 *
 * @throws StepTakesTime
 */
export function refuseLargeStep({ sectionBytes, attachments }: StepSubmission): void {
  const bytes = attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, sectionBytes);
  if (Context.current().info.isLocal && bytes > LOCAL_STEP_BYTES)
    throw new StepTakesTime(
      `Section and attachments have ${bytes} bytes: the step continues as a separate activity`,
    );
}

interface StepToSend {
  step: InsertStep;
  submission: StepSubmission;
  /** The section of `submission`. */
  section: string;
}

/**
 * The result has the case, if this step opened it, and the sent attachments. If the step fails after that, both are
 * recorded for the next attempt.
 *
 * @throws StepTakesTime in a local activity, if a call was slow
 */
export async function sendStep(
  dependencies: InsertDependencies,
  token: string,
  { step, submission, section }: StepToSend,
  options: CallOptions,
): Promise<AcceptedStep> {
  const { database, regulator } = dependencies;
  const begun = performance.now();
  const { caseId, opened } = await caseOf(regulator, token, submission, options);
  const sent: number[] = [];
  const accepted = { ...(opened && { opened }), sent };
  try {
    refuseSlowStep(begun);
    for (const attachment of submission.attachments) {
      await sendAttachment(dependencies, { token, caseId, attachment }, options);
      sent.push(attachment.linkId);
      // The process may die before the next large one is sent.
      if (attachment.sizeBytes > LOCAL_STEP_BYTES)
        await database.insertSteps.recordParts(submission.id, { sent });
      refuseSlowStep(begun);
    }
    const { modifiedDate } = await regulator.sendSection(token, caseId, step, section, options);
    return { ...accepted, modifiedDate };
  } catch (error) {
    submission.caseId = caseId;
    submission.attachments = submission.attachments.slice(sent.length);
    // If this write fails as well, the next attempt opens the same case by the same reference. It sends the attachments
    // again.
    if (opened || sent.length > 0) await database.insertSteps.recordParts(submission.id, accepted);
    throw error;
  }
}

/** A newly opened case is recorded later, together with the accepted step. */
async function caseOf(
  regulator: Regulator,
  token: string,
  { uuid, productId, productTypeCode, submissionTypeCode, caseId }: StepSubmission,
  options: CallOptions,
): Promise<{ caseId: string; opened?: OpenCase }> {
  if (caseId !== null) return { caseId };
  const open = { clientReference: uuid, productId, productTypeCode, submissionTypeCode };
  const opened = await regulator.openCase(token, open, options);
  return { caseId: opened.caseId, opened };
}

/**
 * Checked between two calls, so that no call is interrupted and repeated.
 *
 * @throws StepTakesTime
 */
function refuseSlowStep(begun: number): void {
  if (Context.current().info.isLocal && performance.now() - begun > SLOW_MS)
    throw new StepTakesTime('The regulator is slow: the step continues as a separate activity');
}

async function sendAttachment(
  { regulator, storage }: InsertDependencies,
  { token, caseId, attachment }: { token: string; caseId: string; attachment: StepAttachment },
  options: CallOptions,
): Promise<void> {
  await using stored = new AsyncDisposableStack();
  const { linkId: _, storageKey, ...toSend } = attachment;
  const content = async () => {
    const file = stored.adopt(await storage.open(storageKey), (opened) => opened.close());
    return fileStream(file);
  };
  await regulator.sendAttachment(token, caseId, { ...toSend, content }, options);
}
