/**
 * The configuration: the environment, parsed once and frozen (architecture §configuration-is-the-environment).
 * Defaults suit `npm start` on one machine; setting a variable replaces the embedded part that it stands for.
 */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isLoopback } from '../domain/loopback.ts';
import { embeddedOutside, needsStartTls, temporalTls } from './hardening.ts';
import { InvalidConfiguration, parseVariables } from './variables.ts';

export type { WorkerRole } from './kinds.ts';
export { CONFIG_VARIABLES, InvalidConfiguration } from './variables.ts';

export type Config = ReturnType<typeof loadConfig>;

/** Per user, shared by all clones and data directories: what was downloaded or built once. */
const CACHE_NAME = 'package-import';

/**
 * @throws InvalidConfiguration that names every variable at fault
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, cwd: string = process.cwd()) {
  const e = parseVariables(env);
  const dataDir = isAbsolute(e.DATA_DIR) ? e.DATA_DIR : resolve(cwd, e.DATA_DIR);
  const issuer = e.AUTH_ISSUER ?? `http://127.0.0.1:${e.IAM_PORT}`;
  const embeddedRegulator = e.REGULATOR_URL === undefined;
  return Object.freeze({
    gateway: {
      host: e.HOST,
      port: e.PORT,
      basePath: e.BASE_PATH,
      publicUrl: e.PUBLIC_URL ?? null,
      trustedProxies: e.TRUSTED_PROXIES,
      maxConnections: e.MAX_CONNECTIONS,
      uploadsAtOnce: e.UPLOADS_PER_PROCESS,
    },
    /** Of one client, over all gateways; null for no limit. */
    quotas: {
      requestsPerMinute: e.CLIENT_REQUESTS_PER_MINUTE,
      uploadsAtOnce: e.CLIENT_UPLOADS_AT_ONCE,
      recipientDomains: e.MAIL_RECIPIENT_DOMAINS,
    },
    webhooks: {
      hosts: e.WEBHOOK_HOSTS,
      /** Only where the service itself is for this machine alone. */
      loopback: isLoopback(e.HOST),
    },
    dataDir,
    cacheDir: join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), CACHE_NAME),
    database: {
      embedded: e.DATABASE_URL === undefined,
      url:
        e.DATABASE_URL ??
        `postgresql://package_import:package_import@127.0.0.1:${e.POSTGRES_PORT}/package_import`,
      port: e.POSTGRES_PORT,
      poolSize: e.DATABASE_POOL_SIZE,
      queryMs: e.DATABASE_QUERY_SECONDS * 1000,
    },
    temporal: {
      embedded: e.TEMPORAL_ADDRESS === undefined,
      address: e.TEMPORAL_ADDRESS ?? `127.0.0.1:${e.TEMPORAL_PORT}`,
      namespace: e.TEMPORAL_NAMESPACE,
      apiKey: e.TEMPORAL_API_KEY,
      tls: {
        enabled: temporalTls(e),
        certFile: e.TEMPORAL_TLS_CERT,
        keyFile: e.TEMPORAL_TLS_KEY,
        caFile: e.TEMPORAL_TLS_CA,
        serverName: e.TEMPORAL_TLS_SERVER_NAME,
      },
      port: e.TEMPORAL_PORT,
      uiPort: e.TEMPORAL_UI_PORT,
      uiUrl: e.TEMPORAL_UI_URL ?? null,
    },
    auth: {
      embedded: e.AUTH_ISSUER === undefined,
      issuer,
      /** Null: from the issuer's metadata. */
      jwksUrl: e.AUTH_JWKS_URL ?? (e.AUTH_ISSUER === undefined ? `${issuer}/oauth2/jwks` : null),
      /** Where clients get their tokens; null where that is not known. */
      tokenUrl: e.AUTH_TOKEN_URL ?? (e.AUTH_ISSUER === undefined ? `${issuer}/oauth2/token` : null),
      audience: e.AUTH_AUDIENCE,
      permissionsClaim: e.AUTH_PERMISSIONS_CLAIM,
      submittersClaim: e.AUTH_SUBMITTERS_CLAIM,
      longestLifeS: e.AUTH_MAX_TOKEN_HOURS * 3600,
      /** How the web page logs people in. */
      app: { clientId: e.AUTH_APP_CLIENT_ID, scope: e.AUTH_APP_SCOPE },
      port: e.IAM_PORT,
    },
    regulator: {
      embedded: embeddedRegulator,
      url: e.REGULATOR_URL ?? `http://127.0.0.1:${e.REGULATOR_PORT}`,
      username: e.REGULATOR_USERNAME,
      password: e.REGULATOR_PASSWORD,
      autoLogin: e.REGULATOR_AUTO_LOGIN ?? embeddedRegulator,
      port: e.REGULATOR_PORT,
      concurrency: e.REGULATOR_CONCURRENCY,
      ratePerSecond: e.REGULATOR_RATE_PER_SECOND,
    },
    mail: {
      embedded: e.SMTP_URL === undefined,
      requireTls: needsStartTls(e),
      url: e.SMTP_URL ?? `smtp://127.0.0.1:${e.MAIL_PORT}`,
      from: e.MAIL_FROM,
      port: e.MAIL_PORT,
      uiPort: e.MAIL_UI_PORT,
      digests: e.MAIL_DIGESTS,
      defaultRecipient: e.DEFAULT_NOTIFICATION_EMAIL ?? null,
    },
    archive: {
      url: e.STORAGE_URL ?? `file:${join(dataDir, 'archive')}`,
      retentionDays: e.ARCHIVE_RETENTION_DAYS,
      maxUploadBytes: Math.floor(e.MAX_UPLOAD_MB * 1024 * 1024),
      uploadIdleSeconds: e.UPLOAD_IDLE_SECONDS,
      uploadMinBytesPerSecond: e.UPLOAD_MIN_BYTES_PER_SECOND ?? 0,
      failedRetentionDays: e.FAILED_ARCHIVE_RETENTION_DAYS,
      minFreeBytes: (e.STORAGE_MIN_FREE_MB ?? 0) * 1024 * 1024,
    },
    /** Of a process, for the directories of packages; a worker has as much again for their contents. */
    readingMemoryBytes: e.READING_MEMORY_MB * 1024 * 1024,
    encryptionSecret: e.ENCRYPTION_SECRET,
    shutdownGraceMs: e.SHUTDOWN_GRACE_SECONDS * 1000,
    worker: {
      roles: e.WORKER_ROLES,
      healthPort: e.WORKER_HEALTH_PORT,
      parser: { threads: e.PARSER_THREADS, refusedChecks: e.REFUSED_PRODUCT_CHECKS },
      readingConcurrency: e.READING_CONCURRENCY,
      readingTurnMs: e.READING_TURN_SECONDS * 1000,
      identity: e.WORKER_IDENTITY,
    },
    allowDemoParts: e.ALLOW_DEMO_PARTS,
    metrics: e.METRICS,
    logLevel: e.LOG_LEVEL,
  });
}

/**
 * To be called before embedded parts are started: everybody knows their secrets.
 *
 * @throws InvalidConfiguration where others than this machine would reach the service
 */
export function refuseEmbeddedOutside(config: Config): void {
  const { database, temporal, auth, regulator, mail, gateway } = config;
  const embedded = {
    DATABASE_URL: database.embedded,
    TEMPORAL_ADDRESS: temporal.embedded,
    AUTH_ISSUER: auth.embedded,
    REGULATOR_URL: regulator.embedded,
    SMTP_URL: mail.embedded,
  };
  const missing = embeddedOutside({ ...config, embedded });
  if (missing.length === 0) return;
  throw new InvalidConfiguration(
    `HOST=${gateway.host} is open to others, and embedded parts are for one machine only: set ${missing.join(', ')}, or ALLOW_DEMO_PARTS=true to try things out.`,
  );
}
