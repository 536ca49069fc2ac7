/** The database: one object with all repositories, created once per process and passed in. */
import { createClientRate } from './coordination/client-rates.ts';
import { createClientSlots } from './coordination/client-slots.ts';
import { createRegulatorPace } from './coordination/regulator-pace.ts';
import { createRegulatorSlots } from './coordination/regulator-slots.ts';
import { createCipher } from './encryption.ts';
import { type ConnectOptions, connect, type Orm } from './orm.ts';
import { createAuditTrailRepository } from './repositories/audit-trail.ts';
import { createDigestRepository } from './repositories/digests.ts';
import { createExtractionRepository } from './repositories/extraction.ts';
import { createIdempotencyRepository } from './repositories/idempotency.ts';
import { createImportRetryRepository } from './repositories/import-retries.ts';
import { createImportRepository } from './repositories/imports.ts';
import { createInsertRunRepository } from './repositories/insert-runs.ts';
import { createInsertStepRepository } from './repositories/insert-steps.ts';
import { createInsertingPauseRepository } from './repositories/inserting-pause.ts';
import { createNotificationRepository } from './repositories/notifications.ts';
import { createQueueRepository } from './repositories/queue.ts';
import { createReconciliationRepository } from './repositories/reconciliation.ts';
import { createReferredFileRepository } from './repositories/referred-files.ts';
import { createRegulatorSessionRepository } from './repositories/regulator-session.ts';
import { createReportRepository } from './repositories/reports.ts';
import { createRetentionRepository } from './repositories/retention.ts';
import { createStatisticsRepository } from './repositories/statistics.ts';
import { createSubmissionRepository } from './repositories/submissions.ts';
import { createUnansweredImportsRepository } from './repositories/unanswered-imports.ts';
import { createWebhookDeliveryRepository } from './repositories/webhook-deliveries.ts';
import { createWebhookRepository } from './repositories/webhooks.ts';
import { createWorkFigureRepository } from './repositories/work-figures.ts';

export interface DatabaseOptions extends ConnectOptions {
  url: string;
  /** Secret from which the encryption key is derived. */
  encryptionSecret: string;
}

/**
 * Connects, and rejects a schema that does not match this code.
 *
 * @throws when the database cannot be reached, or migrations are pending
 */
export async function openDatabase({ url, encryptionSecret, ...options }: DatabaseOptions) {
  const orm = await connect(url, options);
  try {
    await refuseStaleSchema(orm);
  } catch (error) {
    await orm.close(true);
    throw error;
  }
  const cipher = createCipher(encryptionSecret);
  return {
    imports: createImportRepository(orm),
    reports: createReportRepository(orm),
    idempotency: createIdempotencyRepository(orm),
    extraction: createExtractionRepository(orm),
    referredFiles: createReferredFileRepository(orm),
    statistics: createStatisticsRepository(orm),
    submissions: createSubmissionRepository(orm),
    queue: createQueueRepository(orm),
    importRetries: createImportRetryRepository(orm),
    insertRuns: createInsertRunRepository(orm),
    insertSteps: createInsertStepRepository(orm),
    insertingPause: createInsertingPauseRepository(orm),
    unansweredImports: createUnansweredImportsRepository(orm),
    digests: createDigestRepository(orm),
    notifications: createNotificationRepository(orm),
    auditTrail: createAuditTrailRepository(orm),
    reconciliation: createReconciliationRepository(orm),
    retention: createRetentionRepository(orm),
    regulatorSession: createRegulatorSessionRepository(orm, cipher),
    webhooks: createWebhookRepository(orm, cipher),
    webhookDeliveries: createWebhookDeliveryRepository(orm),
    workFigures: createWorkFigureRepository(orm),
    /** Slots for calls to the regulator, `limit` over all processes. */
    regulatorSlots: (limit: number) => createRegulatorSlots(orm, limit),
    /** Limits the rate of calls to the regulator, over all processes. */
    regulatorPace: (ratePerSecond: number | undefined) => createRegulatorPace(orm, ratePerSecond),
    /** Rate limits per client, over all processes. */
    clientRate: (kind: string, limit: { points: number; windowSeconds: number }) =>
      createClientRate(orm, kind, limit),
    /** Concurrency limits per client, over all processes. */
    clientSlots: (kind: string, limit: number, options?: Parameters<typeof createClientSlots>[3]) =>
      createClientSlots(orm, kind, limit, options),
    /** @throws when the database does not answer */
    async ping(): Promise<void> {
      await orm.em.fork().execute('select 1');
    },
    async close(): Promise<void> {
      await orm.close(true);
    },
  };
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Migrates the schema. Returns the names of the executed migrations. */
export async function migrate(url: string): Promise<string[]> {
  const orm = await connect(url, { queryMs: null });
  try {
    const run = await orm.migrator.up();
    return run.map((migration) => migration.name);
  } finally {
    await orm.close(true);
  }
}

async function refuseStaleSchema(orm: Orm): Promise<void> {
  const pending = await orm.migrator.getPending();
  if (pending.length === 0) return;
  const names = pending.map((migration) => migration.name).join(', ');
  throw new Error(
    `The database schema is stale: migrations pending (${names}). Run "npm run migrate" first.`,
  );
}
