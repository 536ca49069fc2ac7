import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { AuditEvent } from './audit-event.ts';
import {
  ClientRate,
  ClientSlot,
  InsertingPause,
  RegulatorPace,
  RegulatorSession,
  RegulatorSlot,
  WorkerHeartbeat,
} from './coordination.ts';
import { IdempotencyKey, ImportFile, Notification, PackageImport } from './package-import.ts';
import { ImportRetry, QueueResultEntity, RetryResult } from './queue-result.ts';
import { DailyStatistics, StatisticsDay } from './statistics.ts';
import { Attachment, Submission, SubmissionAttachment, Submitter } from './submission.ts';
import { Webhook, WebhookDelivery } from './webhook.ts';

export const entities = [
  PackageImport,
  IdempotencyKey,
  ImportFile,
  Submission,
  QueueResultEntity,
  ImportRetry,
  RetryResult,
  Attachment,
  SubmissionAttachment,
  Submitter,
  Notification,
  InsertingPause,
  RegulatorSession,
  RegulatorSlot,
  RegulatorPace,
  AuditEvent,
  ClientRate,
  ClientSlot,
  DailyStatistics,
  StatisticsDay,
  Webhook,
  WebhookDelivery,
  WorkerHeartbeat,
];

type Entities = InferKyselyDB<(typeof entities)[number]>;

/** Type of a column in the driver's result: timestamps are text. */
type Column<T> = T extends Date ? string : T;

/**
 * The tables as Kysely's types, for queries of plain columns under chosen names. Statements that count, lock or write
 * many rows use Kysely's `sql`, which is shorter.
 */
export type Tables = {
  [Table in keyof Entities]: { [Name in keyof Entities[Table]]: Column<Entities[Table][Name]> };
};
