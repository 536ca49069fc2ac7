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
