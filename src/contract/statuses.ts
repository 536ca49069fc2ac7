/** Enumerations of the answers, and their labels for people. A value is never renamed. */
import { INSERT_STEPS } from './steps.ts';

/**
 * The status of an import: `extracting` until every product has its queue result, `inserting` until every insert has
 * ended and the summary is sent, then `completed`. It is `failed` if the package could not be read.
 */
export const IMPORT_STATUSES = ['extracting', 'inserting', 'completed', 'failed', 'cancelled'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** `regulator_data.status` is `local` until the regulator has a case of the submission. Then it equals `status`. */
export const SUBMISSION_STATUSES = [
  'local',
  'regulator_inserting',
  'regulator_inserted',
  'regulator_insert_failed',
] as const;
export type SubmissionStatus = (typeof SUBMISSION_STATUSES)[number];

/** The source of a submission: `zip` for all submissions of this service. */
export const SUBMISSION_SOURCE = 'zip';

/** The process that can be run on a submission or on a whole import (interface §2.7 `actions`). */
export const INSERT_PROCESS = 'regulator-insert';

export const CANCEL_ACTION = 'cancel';
/** The actions of a whole import. */
export const IMPORT_ACTIONS = [CANCEL_ACTION, INSERT_PROCESS] as const;
export type ImportAction = (typeof IMPORT_ACTIONS)[number];

/** 202 if queued, 409 if the product is already queued or running, 503 if the insert could not be started. */
export const QUEUE_STATUS = { queued: 202, alreadyQueued: 409, notStarted: 503 } as const;
export type QueueStatus = (typeof QUEUE_STATUS)[keyof typeof QUEUE_STATUS];

/** `waiting` until the conflicting run begins its first step, then `active` (decision §one-insert-per-product). */
export const JOB_STATES = ['waiting', 'active'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** The summary e-mail of an import (interface §3.2). */
export const NOTIFICATION_STATUSES = ['pending', 'sending', 'sent', 'error'] as const;
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number];

/**
 * The outcome of one product file in a dry run. `new` and `changed` products become submissions. The regulator has
 * `unchanged` products already. A `skipped` file is left out for its own reason. A `refused` file cannot be read.
 */
export const VERDICTS = ['new', 'changed', 'unchanged', 'skipped', 'refused'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The service's own login with the regulator (interface §4.1 rule 6). */
export const SESSION_STATUSES = ['none', 'awaiting_verification_code', 'active', 'expired'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** The end of an import. */
export const IMPORT_EVENTS = [
  'package_import.completed',
  'package_import.failed',
  'package_import.cancelled',
] as const;
/** Products of an import have failed, and others are still under way. */
export const PRODUCTS_FAILED_EVENT = 'package_import.products_failed';
/** Events that concern the inserts of every client. */
export const SESSION_EVENTS = ['regulator_session.ends_soon', 'regulator_session.ended'] as const;
export const INSERTING_EVENTS = ['inserting.paused', 'inserting.resumed'] as const;
/** A message that somebody has asked for, to try the receiver. */
export const TEST_EVENT = 'webhook.test';
export const WEBHOOK_EVENTS = [
  ...IMPORT_EVENTS,
  PRODUCTS_FAILED_EVENT,
  ...SESSION_EVENTS,
  ...INSERTING_EVENTS,
  TEST_EVENT,
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The URL of a message: the client's registered one, or that of the upload. */
export const WEBHOOK_TARGETS = ['client', 'import'] as const;

/** `pending → delivered | failed`. A redelivery sets both back to `pending`. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Time spans of the lines of statistics. */
export const SPANS = ['day', 'hour'] as const;
export type Span = (typeof SPANS)[number];

/** Outcomes of product files. A `refused` file could not be read. */
export const PRODUCT_OUTCOMES = [...SUBMISSION_STATUSES, 'skipped', 'refused'] as const;
export type ProductOutcome = (typeof PRODUCT_OUTCOMES)[number];

/**
 * Outcomes of the files of a package, failures first, as they are listed. `refused`, `skipped` and `unreadable` files
 * are no submissions. `not_queued` submissions have a queue result that says why.
 */
export const OUTCOMES = [
  'refused',
  'failed',
  'not_queued',
  'inserting',
  'waiting',
  'inserted',
  'skipped',
  'unreadable',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * Kinds of failures: the package, a product file, the queuing of a product, or the last step that its insert began.
 * Statistics count kinds, because the reasons are free texts.
 */
export const FAILURE_KINDS = [
  'package_unreadable',
  'file_refused',
  'not_queued',
  'insert_not_begun',
  ...INSERT_STEPS.map((step) => `insert_${step}` as const),
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export const STATUS_LABELS: Readonly<Record<ImportStatus | SubmissionStatus, string>> = {
  extracting: 'Reading',
  inserting: 'Inserting',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  local: 'Not queued',
  regulator_inserting: 'Inserting',
  regulator_inserted: 'Inserted',
  regulator_insert_failed: 'Failed',
};
