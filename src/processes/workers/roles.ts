/** The parts that all workers of a process share, and the workers of each role. */
import type { Worker } from '@temporalio/worker';
import {
  createImportActivities,
  createInsertActivities,
  createMailActivities,
  createReadingActivities,
  createWebhookActivities,
} from '../../../activities/index.ts';
import { createProductParser } from '../../../activities/reading/parser-pool.ts';
import { createReadingBudgets } from '../../archive/package-reader.ts';
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/index.ts';
import { TASK_QUEUES, type WorkerRole } from '../../domain/task-queues.ts';
import { importUrlsAt } from '../../notifications/import-urls.ts';
import { createMailer } from '../../notifications/mail/mailer.ts';
import { createSummaryLinks } from '../../notifications/mail/texts.ts';
import { createWebhookSender } from '../../notifications/webhooks/sender.ts';
import {
  createActivityWorker,
  createImportWorker,
  createInsertWorker,
  createReadingWorker,
  type WorkerSetup,
} from '../../temporal/workers.ts';
import { loadWorkflowBundle } from '../../temporal/workflow-bundle.ts';
import { VERSION } from '../shared/logger.ts';
import type { ObservedWorkers } from '../shared/observability.ts';
import { createRegulator, createSessions, openStorage } from '../shared/parts.ts';
import type { RunningPart } from '../shared/program.ts';
import { openTemporal } from '../shared/temporal.ts';

type SharedParts = Awaited<ReturnType<typeof openSharedParts>>;

/** Opens the client of Temporal and the other parts. `close` closes the database as well. */
export async function openSharedParts(
  config: Config,
  database: Database,
  { tracing, send, measureMails }: ObservedWorkers,
) {
  // A refusal is ignored here, because the gateway logs it.
  const { connection, ...temporal } = openTemporal('worker', config, database, tracing, () => {});
  const mailer = measureMails(createMailer(config.mail));
  return {
    ...temporal,
    database,
    storage: await openStorage(config),
    /** Shared by all workers of the process. */
    readingBudgets: createReadingBudgets(config.readingMemoryBytes),
    readingSliceMs: config.worker.readingSliceMs,
    sessions: createSessions(config, database, send),
    mailer,
    regulator: createRegulator(config, database, send),
    async pingTemporal() {
      await connection.workflowService.getSystemInfo({});
    },
    async close() {
      mailer.close();
      await connection.close();
      await database.close();
    },
  };
}

type Setup = Omit<WorkerSetup, 'activities'>;

interface WorkerPart extends RunningPart {
  /** A role may serve several task queues. */
  workers: Worker[];
}

export const CREATE_WORKER: Record<
  WorkerRole,
  (config: Config, shared: SharedParts, setup: Setup) => Promise<WorkerPart>
> = {
  'package-import': importWorker,
  'package-reading': readingWorker,
  'regulator-insert': insertWorker,
};

/** The options that all workers of the process share. */
export async function workerSetup(
  config: Config,
  connection: NonNullable<Setup['connection']>,
): Promise<Setup> {
  return {
    connection,
    namespace: config.temporal.namespace,
    workflowBundle: await loadWorkflowBundle(config.cacheDir),
    buildId: VERSION,
    databaseConnections: config.database.poolSize,
    shutdownGraceMs: config.shutdownGraceMs,
  };
}

/** Concurrent webhook messages per client, over all workers: a slow receiver must not occupy them all. */
const WEBHOOKS_AT_ONCE = 4;

async function importWorker(config: Config, shared: SharedParts, setup: Setup): Promise<WorkerPart> {
  const mailDomain = config.mail.from.split('@')[1] ?? 'localhost';
  const { importScreen, importUrl } = importUrlsAt(config.gateway.publicUrl);
  const summaryLinks = createSummaryLinks({
    importScreen,
    temporalUiUrl: config.temporal.uiUrl,
    namespace: config.temporal.namespace,
  });
  const dependencies = {
    ...shared,
    ...config.archive,
    mailDomain,
    summaryLinks,
    importScreen,
    digests: config.mail.digests,
    webhooks: {
      rules: config.webhooks,
      sender: createWebhookSender({ userAgent: `package-import/${VERSION}` }),
      slots: shared.database.clientSlots('webhook', WEBHOOKS_AT_ONCE),
      importUrl,
    },
  };
  const { mails, webhooks } = TASK_QUEUES;
  return {
    // Four mails, because a mail server refuses many connections; 16 messages, because a receiver may take ten seconds.
    // A server without an answer occupies its own worker only.
    workers: [
      await createImportWorker({ ...setup, activities: createImportActivities(dependencies) }),
      await createActivityWorker({ ...setup, activities: createMailActivities(dependencies) }, mails, 4),
      await createActivityWorker(
        { ...setup, activities: createWebhookActivities(dependencies) },
        webhooks,
        16,
      ),
    ],
    close: () => Promise.resolve(),
  };
}

async function readingWorker(config: Config, shared: SharedParts, setup: Setup): Promise<WorkerPart> {
  const { parser: parserOptions, readingConcurrency: concurrency } = config.worker;
  const parser = createProductParser(parserOptions);
  const { refusedChecks } = parserOptions;
  const files = shared.database.fileRate();
  const activities = createReadingActivities({ ...shared, parser, refusedChecks, files });
  return {
    workers: [await createReadingWorker({ ...setup, activities }, { concurrency })],
    close: () => parser.close(),
  };
}

async function insertWorker(config: Config, shared: SharedParts, setup: Setup): Promise<WorkerPart> {
  const slots = shared.database.regulatorSlots(config.regulator.concurrency);
  const activities = createInsertActivities({ ...shared, slots });
  return {
    workers: [await createInsertWorker({ ...setup, activities }, config.regulator)],
    close: () => slots.close(),
  };
}
