/** Every closed set of words that answers use, and the words that people read for them. Names are never renamed. */
import { INSERT_STEPS, type InsertStep } from './steps.ts';

/**
 * Where an import is: `extracting` until every product has its queue result, `inserting` until every insert has ended
 * and the summary is sent, then `completed`. It is `failed` when the package could not be read.
 */
export const IMPORT_STATUSES = ['extracting', 'inserting', 'completed', 'failed', 'cancelled'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** `regulator_data.status` always equals the submission's `status`. */
export const SUBMISSION_STATUSES = [
  'local',
  'regulator_inserting',
  'regulator_inserted',
  'regulator_insert_failed',
] as const;
export type SubmissionStatus = (typeof SUBMISSION_STATUSES)[number];

/** Where a submission came from: `zip` for everything that this service creates. */
export const SUBMISSION_SOURCE = 'zip';

/** The process that can be run on a submission, or on an import as a whole (interface §2.7 `actions`). */
export const INSERT_PROCESS = 'regulator-insert';
export type SubmissionAction = typeof INSERT_PROCESS;

export const CANCEL_ACTION = 'cancel';
/** The actions that an import offers as a whole. */
export const IMPORT_ACTIONS = [CANCEL_ACTION, INSERT_PROCESS] as const;
export type ImportAction = (typeof IMPORT_ACTIONS)[number];

/** 202 when queued, 409 when the product is already queued or running, 503 when it could not be started. */
export const QUEUE_STATUS = { queued: 202, alreadyQueued: 409, notStarted: 503 } as const;
export type QueueStatus = (typeof QUEUE_STATUS)[keyof typeof QUEUE_STATUS];

/** `waiting` before the first step of the run in the way, `active` after (decision §one-insert-per-product). */
export const JOB_STATES = ['waiting', 'active'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** The summary e-mail of an import (interface §3.2). */
export const NOTIFICATION_STATUSES = ['pending', 'sending', 'sent', 'error'] as const;
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number];

/**
 * The outcome of one product file in a dry run. `new` and `changed` become submissions; `unchanged` products are with
 * the regulator already; a `skipped` file is left out for a reason of its own; a `refused` file cannot be read.
 */
export const VERDICTS = ['new', 'changed', 'unchanged', 'skipped', 'refused'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The service's own login with the regulator (interface §4.1 rule 6). */
export const SESSION_STATUSES = ['none', 'awaiting_verification_code', 'active', 'expired'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export const WEBHOOK_EVENTS = [
  'package_import.completed',
  'package_import.failed',
  'package_import.cancelled',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Whose URL a message goes to: the one that the client has registered, or that of the upload. */
export const WEBHOOK_TARGETS = ['client', 'import'] as const;
export type WebhookTarget = (typeof WEBHOOK_TARGETS)[number];

/** `pending → delivered | failed`; both lead back to `pending` when the message is asked for again. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Where the product files of packages have got to. A `refused` file could not be read. */
export const PRODUCT_OUTCOMES = [...SUBMISSION_STATUSES, 'skipped', 'refused'] as const;
export type ProductOutcome = (typeof PRODUCT_OUTCOMES)[number];

/**
 * What failed, and where: the package, a product file, the queuing of a product, or its insert, by the step that had
 * begun last. Reasons themselves are texts of people and of the regulator, of which no two need to be alike.
 */
export const FAILURE_KINDS = [
  'package_unreadable',
  'file_refused',
  'not_queued',
  'insert_not_begun',
  ...INSERT_STEPS.map((step) => `insert_${step}` as const),
] as const;
export type FailureKind =
  | 'package_unreadable'
  | 'file_refused'
  | 'not_queued'
  | 'insert_not_begun'
  | `insert_${InsertStep}`;

export const STATUS_LABELS: Readonly<Record<ImportStatus | SubmissionStatus, string>> = {
  extracting: 'Reading',
  inserting: 'Inserting',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  local: 'Not sent',
  regulator_inserting: 'Inserting',
  regulator_inserted: 'Inserted',
  regulator_insert_failed: 'Failed',
};

export const NOTIFICATION_LABELS: Readonly<Record<NotificationStatus, string>> = {
  pending: 'To come',
  sending: 'Being sent',
  sent: 'Sent',
  error: 'Not sent',
};

export const DELIVERY_LABELS: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'Under way',
  delivered: 'Delivered',
  failed: 'Failed',
};
