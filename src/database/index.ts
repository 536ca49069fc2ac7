/** The database: one object with all repositories, created once per process and passed in. */
import { FILES_PER_DAY } from '../contract/limits.ts';
import { withLongStatements } from './connections.ts';
import { createClientRate, createClientSlots } from './coordination/client-limits.ts';
import { createRegulatorRateLimit } from './coordination/regulator-rate-limit.ts';
import { createRegulatorSlots } from './coordination/regulator-slots.ts';
import { createWorkerHeartbeats } from './coordination/worker-heartbeats.ts';
import { createCipher, renewEncryption } from './encryption.ts';
import { refuseStaleSchema } from './migrations.ts';
import { type ConnectOptions, connect } from './orm.ts';
import { createAuditTrailRepository } from './repositories/audit-trail.ts';
import { createDossierRepository } from './repositories/dossiers.ts';
import { createFailureRepository } from './repositories/failures.ts';
import { createForgetPeople } from './repositories/forget-people.ts';
import { createIdempotencyRepository } from './repositories/idempotency.ts';
import { createImportOutcomeRepository } from './repositories/import-outcomes.ts';
import { createImportRetryRepository } from './repositories/import-retries.ts';
import { createImportRepository } from './repositories/imports.ts';
import { createInsertRunRepository } from './repositories/insert-runs.ts';
import { createInsertStepRepository } from './repositories/insert-steps.ts';
import {
  createInsertingPauseRepository,
  createUnansweredImportsRepository,
} from './repositories/insert-waits.ts';
import { createDigestRepository, createNotificationRepository } from './repositories/mails.ts';
import { createReconciliationRepository, createWorkFigureRepository } from './repositories/open-work.ts';
import { createProductHistoryRepository } from './repositories/product-history.ts';
import { createQueueRepository } from './repositories/queue.ts';
import { createReadingRepository } from './repositories/reading.ts';
import { createReferredFileRepository } from './repositories/referred-files.ts';
import { createRegulatorSessionRepository } from './repositories/regulator-session.ts';
import { createReportRepository } from './repositories/reports.ts';
import { createRetentionRepository } from './repositories/retention.ts';
import { createStatisticsRepository } from './repositories/statistics.ts';
import { createSubmissionRepository } from './repositories/submissions.ts';
import { createWebhookDeliveryRepository } from './repositories/webhook-deliveries.ts';
import { createWebhookRepository } from './repositories/webhooks.ts';
import { statements } from './statements.ts';

const DAY_S = 24 * 60 * 60;

export interface DatabaseOptions extends ConnectOptions {
  url: string;
  /**
   * Secrets from which the encryption keys are derived. The first one encrypts. Null for a process without encrypted
   * data.
   */
  encryptionSecrets: readonly string[] | null;
}

/**
 * Connects, and rejects a schema that does not match this code.
 *
 * @throws when the database cannot be reached, or migrations are pending
 */
export async function openDatabase({ url, encryptionSecrets, ...options }: DatabaseOptions) {
  const orm = await connect(url, options);
  try {
    await refuseStaleSchema(orm);
  } catch (error) {
    await orm.close(true);
    throw error;
  }
  const cipher = createCipher(encryptionSecrets ?? []);
  return {
    imports: createImportRepository(orm),
    reports: createReportRepository(orm),
    idempotency: createIdempotencyRepository(orm),
    reading: createReadingRepository(orm),
    productHistory: createProductHistoryRepository(orm),
    referredFiles: createReferredFileRepository(orm),
    statistics: createStatisticsRepository(orm),
    submissions: createSubmissionRepository(orm),
    failures: createFailureRepository(orm),
    dossiers: createDossierRepository(orm),
    queue: createQueueRepository(orm),
    importOutcomes: createImportOutcomeRepository(orm),
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
    people: createForgetPeople(orm),
    regulatorSession: createRegulatorSessionRepository(orm, cipher),
    webhooks: createWebhookRepository(orm, cipher),
    webhookDeliveries: createWebhookDeliveryRepository(orm),
    workFigures: createWorkFigureRepository(orm),
    workerHeartbeats: createWorkerHeartbeats(orm),
    /** Slots for calls to the regulator, `limit` over all processes. */
    regulatorSlots: (limit: number) => createRegulatorSlots(orm, limit),
    /** Limits the rate of calls to the regulator, over all processes. */
    regulatorRateLimit: (ratePerSecond: number | null) => createRegulatorRateLimit(orm, ratePerSecond),
    /** Rate limits per client, over all processes. */
    clientRate: (kind: string, limit: { points: number; windowSeconds: number }) =>
      createClientRate(orm, kind, limit),
    /** Files of packages per client and day, over all processes (decision §quotas). */
    fileRate: () => createClientRate(orm, 'files', { points: FILES_PER_DAY, windowSeconds: DAY_S }),
    /** Concurrency limits per client, over all processes. */
    clientSlots: (kind: string, limit: number | null, options?: Parameters<typeof createClientSlots>[3]) =>
      createClientSlots(orm, kind, limit, options),
    renewEncryption: () => renewEncryption(orm, cipher),
    /** Runs work whose statements may take ten minutes each. */
    withLongStatements,
    /** @throws when the database does not answer */
    async ping(): Promise<void> {
      await statements(orm.em.fork()).run`select 1`;
    },
    close: () => orm.close(true),
  };
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;
