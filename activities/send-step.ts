/** Sends a step of an insert to the regulator: opens the case, sends the attachments, then the section. */
import { Context } from '@temporalio/activity';
import type { InsertStep } from '../src/contract/steps.ts';
import type { AcceptedStep } from '../src/database/repositories/insert-steps.ts';
import type { StepSubmission } from '../src/database/step-data.ts';
import { DomainError } from '../src/domain/errors.ts';
import type { OpenCase } from '../src/domain/regulator.ts';
import { LOCAL_STEP_BYTES } from '../src/domain/steps.ts';
import type { CallOptions, Regulator } from '../src/regulator/port.ts';
import type { InsertDependencies } from './dependencies.ts';

/** Longer steps count as slow. A cancellation does not reach a run between two local steps. */
export const SLOW_MS = 1_000;

/** A step takes longer than a local activity may. It continues as an activity of its own (workflows/regulator-insert.ts). */
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

export interface StepToSend {
  token: string;
  step: InsertStep;
  submission: StepSubmission;
  /** The section of `submission`. */
  section: string;
}

/**
 * A case that this step opened is part of the result. If the step fails after that, the case is recorded for the next
 * try.
 *
 * @throws StepTakesTime in a local activity, if the case was opened slowly
 */
export async function sendStep(
  dependencies: InsertDependencies,
  { token, step, submission, section }: StepToSend,
  options: CallOptions,
): Promise<AcceptedStep> {
  const { database, regulator } = dependencies;
  const begun = performance.now();
  const { caseId, opened } = await caseOf(regulator, token, submission, options);
  try {
    refuseSlowStep(begun);
    const sent = await sendAttachments(dependencies, { token, caseId, submission }, options);
    const { modifiedDate } = await regulator.sendSection(token, caseId, step, section, options);
    return { ...(opened && { opened }), modifiedDate, sent };
  } catch (error) {
    if (opened) {
      // If this record is lost, too, the same reference finds the same case.
      submission.caseId = caseId;
      await database.insertSteps.recordCase(submission.id, opened);
    }
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

/**
 * Sends the attachments of a section. Attachments that were sent before, with any section, are not sent again. A large
 * attachment is recorded at once, so that a retry continues after it.
 *
 * @returns links of the others, to be recorded with the step
 */
async function sendAttachments(
  { database, regulator, storage }: InsertDependencies,
  { token, caseId, submission }: { token: string; caseId: string; submission: StepSubmission },
  options: CallOptions,
): Promise<number[]> {
  const sent: number[] = [];
  for (const { linkId, storageKey, ...attachment } of submission.attachments) {
    await using stored = new AsyncDisposableStack();
    const content = async () => {
      const file = stored.adopt(await storage.open(storageKey), (opened) => opened.close());
      return file.stream(0, file.sizeBytes);
    };
    await regulator.sendAttachment(token, caseId, { ...attachment, content }, options);
    if (attachment.sizeBytes > LOCAL_STEP_BYTES) await database.referredFiles.recordSent(linkId);
    else sent.push(linkId);
  }
  return sent;
}
