import { Attachment, SubmissionAttachment } from './attachment.ts';
import { AuditEvent } from './audit-event.ts';
import { ClientRate } from './client-rate.ts';
import { ClientSlot } from './client-slot.ts';
import { IdempotencyKey } from './idempotency-key.ts';
import { ImportFile } from './import-file.ts';
import { ImportRetry, RetryResult } from './import-retry.ts';
import { InsertingPause } from './inserting-pause.ts';
import { Notification } from './notification.ts';
import { PackageImport } from './package-import.ts';
import { QueueResultEntity } from './queue-result.ts';
import { RegulatorPace } from './regulator-pace.ts';
import { RegulatorSession } from './regulator-session.ts';
import { RegulatorSlot } from './regulator-slot.ts';
import { DailyStatistics, StatisticsDay } from './statistics.ts';
import { Submission } from './submission.ts';
import { Submitter } from './submitter.ts';
import { Webhook } from './webhook.ts';
import { WebhookDelivery } from './webhook-delivery.ts';
import { WorkerHeartbeat } from './worker-heartbeat.ts';

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
