/** The types of answers, inferred from the schemas. Types only: no schema is loaded. */

export type { AuditEvent, AuditPage, AuditQuery } from './schemas/audit-events.ts';
export type { DryRunProduct, DryRunResult, ProductDiff } from './schemas/dry-run.ts';
export type { ImportRetry } from './schemas/import-retry.ts';
export type { Inserting } from './schemas/inserting.ts';
export type {
  ImportListQuery,
  ImportPage,
  ImportReport,
  ImportResult,
  ImportSummary,
} from './schemas/package-imports.ts';
export type { Product, ProductSubmission } from './schemas/products.ts';
export type { Reason } from './schemas/reason.ts';
export type { RegulatorSession } from './schemas/regulator-session.ts';
export type {
  Statistics,
  StatisticsLine,
  StatisticsQuery,
  Stored,
  StoredNow,
  WaitingNow,
} from './schemas/statistics.ts';
export type { QueueResult, Submission } from './schemas/submissions.ts';
export type { WebhookDelivery } from './schemas/webhook-deliveries.ts';
export type { Webhook } from './schemas/webhooks.ts';
