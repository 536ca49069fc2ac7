/** Results of queuing submissions (interface §2.6): made by the workflows, shown by the gateway. */
import { INSERT_PROCESS } from './submission.ts';

/** 202 when queued, 409 when the product is already queued or running, 503 when it could not be started. */
export const QUEUE_STATUS = { queued: 202, alreadyQueued: 409, notStarted: 503 } as const;

export type QueueStatus = (typeof QUEUE_STATUS)[keyof typeof QUEUE_STATUS];

/** `waiting` before the first step of the run in the way, `active` after (design §5). */
export type JobState = 'waiting' | 'active';

/** The one result that a submission gets when it is queued. Never overwritten once stored. */
export interface QueueResult {
  submissionId: number;
  status: QueueStatus;
  message: string;
  /** Run id of the `regulator-insert` workflow: the new run, or the one in the way. Null if none started. */
  jobId: string | null;
  jobState: JobState | null;
}

export function queued(submissionId: number, jobId: string): QueueResult {
  const message = `Task ${INSERT_PROCESS} queued`;
  return { submissionId, status: QUEUE_STATUS.queued, message, jobId, jobState: null };
}

export function alreadyQueued(submissionId: number, jobId: string, jobState: JobState): QueueResult {
  const message = `The product is already queued or running (${INSERT_PROCESS} ${jobId}). Run it again when that one has finished.`;
  return { submissionId, status: QUEUE_STATUS.alreadyQueued, message, jobId, jobState };
}

export function notStarted(submissionId: number, reason: string): QueueResult {
  const message = `The ${INSERT_PROCESS} task could not be started: ${reason}`;
  return { submissionId, status: QUEUE_STATUS.notStarted, message, jobId: null, jobState: null };
}
