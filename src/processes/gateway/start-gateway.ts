/** Starts the gateway: from the configuration to a listening server. */
import type { Logger } from 'pino';
import { startRemovingLeftovers } from '../../archive/leftovers.ts';
import { createReadingBudget } from '../../archive/reading-budget.ts';
import { createRepairPacks } from '../../archive/repair-pack.ts';
import type { Config } from '../../config/index.ts';
import { createGateway } from '../../gateway/app.ts';
import { REPORT_MEMORY_BYTES } from '../../gateway/reports/snapshots.ts';
import { createTokenKeys } from '../../gateway/tokens/token-keys.ts';
import { listen } from '../../http/server.ts';
import { readBacklogs } from '../../temporal/backlog.ts';
import { connectClient } from '../../temporal/connection.ts';
import { identityOf } from '../../temporal/identity.ts';
import { createImportWorkflows } from '../../temporal/import-workflows.ts';
import { createInsertWorkflows } from '../../temporal/insert-workflows.ts';
import { createPackageChecks } from '../../temporal/package-checks.ts';
import { processingChecks } from '../../temporal/readiness.ts';
import { createRetryWorkflows } from '../../temporal/retry-workflows.ts';
import { createLookAtRunsInTheWay } from '../../temporal/run-in-the-way.ts';
import { registerSearchAttributes } from '../../temporal/search-attributes.ts';
import { createStartInsert } from '../../temporal/start-insert.ts';
import { createWebhookWorkflows } from '../../temporal/webhook-workflows.ts';
import { connectionsOfGateway } from '../shared/database-connections.ts';
import { observeGateway } from '../shared/observability.ts';
import { createSessions, openConfiguredDatabase, openStorage, type RunningPart } from '../shared/parts.ts';
import { VERSION } from '../shared/version.ts';
import { pageLookUp, pageSettingsOf } from './page.ts';
import { openQuotas } from './quotas.ts';

/** A restarted worker or Temporal is available again after one or two seconds. */
const PROCESSING_PATIENCE_MS = 5_000;

export async function startGateway(config: Config, logger: Logger): Promise<RunningPart & { url: string }> {
  const database = await openConfiguredDatabase(config, connectionsOfGateway());
  const storage = await openStorage(config);
  const { namespace } = config.temporal;
  const { tracing, observers, measureImports, measureWork } = await observeGateway(config, logger, storage);
  const { client, connection } = await connectClient(config.temporal, {
    identity: identityOf('gateway'),
    ...tracing.client,
  });
  measureWork({
    figures: () => database.workFigures.read(),
    stored: () => database.workFigures.stored(),
    backlogs: () => readBacklogs(connection, namespace),
  });
  const attributes = await registerSearchAttributes(connection, namespace, (reason) =>
    logger.warn({ reason }, 'search attributes cannot be registered; workflows start without them'),
  );
  const insertWorkflows = createInsertWorkflows(client, attributes);
  const { issuer, jwksUrl, audience, permissionsClaim, submittersClaim } = config.auth;
  const app = createGateway({
    database,
    storage,
    repairPacks: createRepairPacks(storage, createReadingBudget(config.readingMemoryBytes)),
    reportMemory: createReadingBudget(REPORT_MEMORY_BYTES),
    sessions: createSessions(config, database, tracing.traceRegulator(fetch)),
    importWorkflows: measureImports(createImportWorkflows(client, attributes)),
    startInsert: createStartInsert(
      insertWorkflows,
      createLookAtRunsInTheWay(insertWorkflows, database.submissions),
      database.insertRuns,
    ),
    retryWorkflows: createRetryWorkflows(client, attributes),
    packageChecks: createPackageChecks(client),
    webhookRules: config.webhooks,
    webhookWorkflows: createWebhookWorkflows(client, attributes),
    tokens: {
      issuer,
      audience,
      permissionsClaim,
      submittersClaim,
      peopleClientId: config.auth.app.clientId,
      keys: createTokenKeys(jwksUrl === null ? { issuer } : { jwksUrl }),
    },
    version: VERSION,
    logger,
    observers,
    basePath: config.gateway.basePath,
    publicUrl: config.gateway.publicUrl,
    tokenUrl: config.auth.tokenUrl,
    limits: {
      maxUploadBytes: config.gateway.maxUploadBytes,
      uploadIdleMs: config.gateway.uploadIdleMs,
      uploadFloor: config.gateway.uploadFloor,
      uploadsAtOnce: config.gateway.uploadsAtOnce,
      processingPatienceMs: PROCESSING_PATIENCE_MS,
      minFreeBytes: config.archive.minFreeBytes,
    },
    quotas: openQuotas(config, database, logger),
    trustedProxies: config.gateway.trustedProxies,
    defaultRecipient: config.mail.defaultRecipient,
    page: {
      directory: pageLookUp(config.cacheDir),
      settings: pageSettingsOf(config),
      tokenUrl: config.auth.tokenUrl,
    },
    readiness: {
      database: () => database.ping(),
      storage: () => storage.ping(),
    },
    processing: processingChecks(connection, namespace),
  });
  const server = await listen(app, config.gateway);
  const stopRemovingLeftovers = startRemovingLeftovers(storage, {
    idleMs: config.gateway.uploadIdleMs,
    onRemoved: (count) => logger.info({ count }, 'removed what was left of files that never became whole'),
    onError: (error) => logger.warn({ err: error }, 'what killed processes have left is not removed'),
  });
  return {
    url: `http://${config.gateway.host}:${server.port}${config.gateway.basePath}`,
    async close() {
      stopRemovingLeftovers();
      await server.close(config.shutdownGraceMs);
      await connection.close();
      await database.close();
      await tracing.stop();
    },
  };
}
