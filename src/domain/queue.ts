/** Results of queuing submissions (interface §2.6). Workflows create them and the gateway shows them. */
import { INSERT_PROCESS, type JobState, QUEUE_STATUS, type QueueStatus } from '../contract/statuses.ts';

/** Number of start attempts. The start is repeated if the conflicting run has ended meanwhile. */
export const START_ATTEMPTS = 5;

/** The run that prevents an insert from starting. */
export type ConflictingRun = { submissionId: number } & (
  | { kind: 'closed' }
  /** `own` when it works on the same submission. */
  | { kind: 'own' | 'other'; runId: string; jobState: JobState }
);

/** Why an import ended early. The waiting client, the import's results and its summary get this text. */
export const IMPORT_CANCELLED = 'The import was cancelled.';

/** @param by actor of the cancellation as in the audit trail; null if it was cancelled in Temporal */
export function importCancelled(by: string | null): string {
  return by === null ? IMPORT_CANCELLED : `The import was cancelled by ${by}.`;
}

/** Why an insert ended early, as far as its run knows. */
export const INSERT_CANCELLED = 'The insert was cancelled.';

/** @param by actor of the import's cancellation; null if there is none, or if it was cancelled in Temporal */
export function insertCancelled(by: string | null): string {
  return by === null ? INSERT_CANCELLED : `The insert was cancelled with its import, by ${by}.`;
}

/** Why an insert was given up after all its attempts. The advice depends on the reader and is added elsewhere. */
export const CONFLICTING_INSERTS = 'Other inserts of the same product blocked every attempt.';

/** The one queue result of a submission. It is never overwritten once stored. */
export interface QueueResult {
  submissionId: number;
  status: QueueStatus;
  message: string;
  /** Run id of the `regulator-insert` workflow: the new run, or the conflicting one. Null if none started. */
  jobId: string | null;
  jobState: JobState | null;
}

export function queued(submissionId: number, jobId: string): QueueResult {
  const message = `Task ${INSERT_PROCESS} queued`;
  return { submissionId, status: QUEUE_STATUS.queued, message, jobId, jobState: null };
}

export function alreadyQueued(submissionId: number, jobId: string, jobState: JobState): QueueResult {
  const message = `The product is already queued or running (${INSERT_PROCESS} ${jobId}). Retry when that insert has ended.`;
  return { submissionId, status: QUEUE_STATUS.alreadyQueued, message, jobId, jobState };
}

/**
 * The result of a submission that nobody starts any more: `queued` if its insert has begun.
 *
 * @param reason as of `notStarted`
 */
export function lateResult(
  { submissionId, jobId }: { submissionId: number; jobId: string | null },
  reason: string,
): QueueResult {
  return jobId === null ? notStarted(submissionId, reason) : queued(submissionId, jobId);
}

/** @param reason in whole sentences */
export function notStarted(submissionId: number, reason: string): QueueResult {
  const afterColon = reason.charAt(0).toLowerCase() + reason.slice(1);
  const message = `The ${INSERT_PROCESS} task could not be started: ${afterColon}`;
  return { submissionId, status: QUEUE_STATUS.notStarted, message, jobId: null, jobState: null };
}
