/** Starts the gateway: from the configuration to a listening server. */
import type { Logger } from 'pino';
import { createDossiers } from '../../archive/dossier.ts';
import { startRemovingLeftovers } from '../../archive/leftover-removal.ts';
import { createProductFiles } from '../../archive/product-files.ts';
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/index.ts';
import { createGateway } from '../../gateway/app.ts';
import { docUrls } from '../../gateway/error-page.ts';
import { createReadAudit } from '../../gateway/ownership.ts';
import type { ClientQuotas } from '../../gateway/quotas/client-quotas.ts';
import { createReadBudgets } from '../../gateway/quotas/read-budgets.ts';
import { createTokenKeys } from '../../gateway/tokens/token-keys.ts';
import type { ProcessState } from '../../http/health.ts';
import { listen } from '../../http/server.ts';
import { sendRequest } from '../../regulator/send.ts';
import { createFailuresRuns } from '../../temporal/failures-runs.ts';
import { createPackageChecks } from '../../temporal/package-checks.ts';
import { processingChecks, readBacklogs } from '../../temporal/task-queues.ts';
import { VERSION } from '../shared/logger.ts';
import { observeGateway, serveHealth } from '../shared/observability.ts';
import { createSessions, openConfiguredDatabase, openStorage, warnAboutTableOwner } from '../shared/parts.ts';
import type { RunningPart } from '../shared/program.ts';
import { openTemporal } from '../shared/temporal.ts';
import { pageOf } from './page.ts';

/** A restarted worker or Temporal is available again after one or two seconds. */
const MAX_PROCESSING_WAIT_MS = 5_000;

export async function startGateway(config: Config, logger: Logger): Promise<RunningPart & { url: string }> {
  const { auth, gateway, temporal, archive } = config;
  const database = await openConfiguredDatabase(config, 'gateway');
  await warnAboutTableOwner(config, database, logger);
  const storage = await openStorage(config);
  const observed = await observeGateway(config, logger, storage);
  const { tracing, observers, measureImports, measureWork } = observed;
  const temporalParts = openTemporal('gateway', config, database, tracing, (reason) =>
    logger.warn({ reason }, 'search attributes cannot be registered; workflows start without them'),
  );
  const { client, connection, importWorkflows, startInsert, webhookWorkflows } = temporalParts;
  measureWork({
    figures: () => database.workFigures.read(),
    stored: () => database.workFigures.stored(),
    backlogs: () => readBacklogs(connection, temporal.namespace),
    workers: () => database.workerHeartbeats.count(),
  });
  const processing = processingChecks(connection, () => database.workerHeartbeats.count());
  const { issuer, jwksUrl, audience, acceptsPlain, permissionsClaim, submittersClaim } = auth;
  const { maxUploadBytes, uploadIdleMs, uploadFloor, uploadsAtOnce } = gateway;
  const app = createGateway({
    database,
    readAudit: createReadAudit(database.auditTrail),
    storage,
    productFiles: createProductFiles(storage),
    dossiers: createDossiers(config.dossierKey),
    // The other connections are for other clients.
    readBudgets: createReadBudgets({ atOnce: Math.max(1, Math.floor(config.database.poolSize / 2)) }),
    sessions: createSessions(config, database, tracing.traceRegulator(sendRequest)),
    importWorkflows: measureImports(importWorkflows),
    startInsert,
    failuresRuns: createFailuresRuns(client),
    packageChecks: createPackageChecks(client),
    webhookRules: config.webhooks,
    webhookWorkflows,
    tokens: {
      issuer,
      audience,
      acceptsPlain,
      permissionsClaim,
      submittersClaim,
      peopleClientId: auth.app.clientId,
      keys: createTokenKeys(jwksUrl === null ? { issuer } : { jwksUrl }),
    },
    version: VERSION,
    logger,
    observers,
    basePath: gateway.basePath,
    publicUrl: gateway.publicUrl,
    tokenUrl: auth.tokenUrl,
    limits: {
      maxUploadBytes,
      uploadIdleMs,
      uploadFloor,
      uploadsAtOnce,
      maxProcessingWaitMs: MAX_PROCESSING_WAIT_MS,
      minFreeBytes: archive.minFreeBytes,
    },
    quotas: openQuotas(config, database, logger),
    trustedProxies: gateway.trustedProxies,
    defaultRecipient: config.mail.defaultRecipient,
    page: pageOf(config),
    processing,
  });
  const server = await listen(app, { ...gateway, docUrlOf: docUrls(gateway) });
  let state: ProcessState = 'running';
  const health = await serveHealth(config, {
    state: () => state,
    // Lists, reports and logins need only the database.
    checks: { database: () => database.ping() },
    processing: { storage: () => storage.ping(), ...processing.uploads, ...processing.inserts },
    metrics: observed.exposition,
    logger,
  });
  const stopRemovingLeftovers = startRemovingLeftovers(storage, {
    idleMs: gateway.uploadIdleMs,
    onRemoved: (count) => logger.info({ count }, 'removed incomplete files of ended processes'),
    onError: (error) =>
      logger.warn({ err: error }, 'incomplete files of ended processes could not be removed'),
  });
  return {
    url: `http://${gateway.host}:${server.port}${gateway.basePath}`,
    async close() {
      state = 'draining';
      stopRemovingLeftovers();
      await server.close(config.shutdownGraceMs, gateway.uploadGraceMs);
      await connection.close();
      await database.close();
      await health.close();
      await tracing.stop();
    },
  };
}

const MINUTE_S = 60;
/** Rate of mails and of webhook messages. Only a client in an endless loop exceeds it. */
const PER_HOUR = { points: 1000, windowSeconds: 60 * MINUTE_S };
/** Rate of logins with the regulator: with five attempts each, a hundred of a million codes an hour. */
const LOGINS = { points: 20, windowSeconds: 60 * MINUTE_S };

/** The quotas of clients (decision §quotas). */
function openQuotas(
  { quotas: { requestsPerMinute, uploadsAtOnce, recipientDomains } }: Config,
  { clientRate, clientSlots, fileRate }: Pick<Database, 'clientRate' | 'clientSlots' | 'fileRate'>,
  logger: Logger,
): ClientQuotas {
  const onLost = (error: unknown) =>
    logger.warn(
      { err: error },
      'upload slots of clients could not be renewed or returned; they expire by themselves',
    );
  return {
    uploads: clientSlots('upload', uploadsAtOnce, { onLost }),
    requests: clientRate('requests', { points: requestsPerMinute, windowSeconds: MINUTE_S }),
    files: fileRate(),
    mails: clientRate('mails', PER_HOUR),
    webhooks: clientRate('webhooks', PER_HOUR),
    logins: clientRate('logins', LOGINS),
    recipientDomains,
  };
}
