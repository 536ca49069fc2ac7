/**
 * The types of answers, inferred from the schemas. Types only: no schema is loaded, and the client library writes them
 * out.
 */

export type { Reason } from './schemas/common.ts';
export type { Failures, FailuresQuery, FailuresRun } from './schemas/failures.ts';
export type { ImportRetry } from './schemas/import-actions.ts';
export type { ImportOutcome, OutcomeCounts, OutcomePage } from './schemas/import-outcomes.ts';
export type { AuditEvent, AuditPage, AuditQuery, Inserting, RegulatorSession } from './schemas/operators.ts';
export type {
  ImportListQuery,
  ImportPage,
  ImportReport,
  ImportResult,
  ImportSummary,
} from './schemas/package-imports.ts';
export type {
  Statistics,
  StatisticsLine,
  StatisticsQuery,
  Stored,
  StoredNow,
  WaitingNow,
} from './schemas/statistics.ts';
export type { Product, ProductSubmission, QueueResult, Submission } from './schemas/submissions.ts';
export type { DryRunProduct, DryRunResult, ProductDiff } from './schemas/upload.ts';
export type { WebhookPayload } from './schemas/webhook-messages.ts';
export type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryQuery,
} from './schemas/webhooks.ts';
