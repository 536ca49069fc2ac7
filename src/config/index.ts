/**
 * The configuration: the environment, parsed once and frozen (decision §configuration-is-the-environment).
 * The defaults suit `npm start` on one machine. A variable with the address of a system replaces its embedded part.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isLoopback } from '../common/network.ts';
import type { ProductCheck } from '../contract/product-checks.ts';
import type { WorkerRole } from '../domain/task-queues.ts';
import { CONSTANTS, type Ports, portsWith } from './constants.ts';
import { needsStartTls, type Program, partsOf, unsafeVariables } from './hardening.ts';
import { readTemporalProfile, unreadableFiles } from './temporal.ts';
import { InvalidConfiguration, readVariables, VARIABLES, type Values } from './variables.ts';

export { InvalidConfiguration } from './variables.ts';

export type { Program };

/** The names of all variables. */
export const CONFIG_VARIABLES: readonly string[] = Object.keys(VARIABLES);

export type Config = ReturnType<typeof loadConfig>;

/** Cache of downloads and builds per user, shared by all clones and data directories. */
const CACHE_NAME = 'package-import';
const MB = 1024 ** 2;

/**
 * @param program decides which parts must be configured safely
 * @throws InvalidConfiguration that names every variable at fault
 */
export function loadConfig(
  env: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
  program: Program = 'whole service',
) {
  // An empty or blank value counts as not set. As a number, a blank one would be 0: no limit.
  const set = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]?.trim())),
  );
  const values = readVariables(set);
  const profile = readTemporalProfile(set);
  const parts = partsOf(program, values.WORKER_ROLES);
  const faults = [
    ...(parts.has('temporal') ? unreadableFiles(profile) : []),
    ...unsafeVariables({ values, profile, set, parts }),
  ];
  if (faults.length > 0) throw new InvalidConfiguration(faults);
  const ports = portsWith(values.PORT_OFFSET);
  const dataDir = resolve(cwd, values.DATA_DIR);
  return Object.freeze({
    gateway: {
      ...CONSTANTS.gateway,
      host: values.HOST,
      port: values.PORT ?? ports.gateway,
      basePath: values.BASE_PATH,
      publicUrl: values.PUBLIC_URL ?? null,
      trustedProxies: values.TRUSTED_PROXIES,
      maxUploadBytes: values.MAX_UPLOAD_MB,
    },
    /** Quotas of one client, over all gateways. Null for no limit. */
    quotas: {
      ...CONSTANTS.quotas,
      uploadsAtOnce: values.CLIENT_UPLOADS_AT_ONCE,
      recipientDomains: values.MAIL_RECIPIENT_DOMAINS,
    },
    webhooks: {
      hosts: values.WEBHOOK_HOSTS,
      /** Allowed only if the service itself listens on this machine only. */
      loopback: isLoopback(values.HOST),
    },
    dataDir,
    cacheDir: join(set.XDG_CACHE_HOME ?? join(homedir(), '.cache'), CACHE_NAME),
    database: databaseOf(values, ports),
    temporal: {
      embedded: profile.address === undefined,
      address: profile.address ?? `127.0.0.1:${ports.temporal}`,
      namespace: profile.namespace ?? values.TEMPORAL_NAMESPACE,
      profile,
      port: ports.temporal,
      uiPort: ports.temporalUi,
      uiUrl: values.TEMPORAL_UI_URL ?? null,
    },
    auth: authOf(values, ports),
    regulator: {
      embedded: values.REGULATOR_URL === undefined,
      url: values.REGULATOR_URL ?? `http://127.0.0.1:${ports.regulatorSimulator}`,
      username: values.REGULATOR_USERNAME,
      password: values.REGULATOR_PASSWORD,
      concurrency: values.REGULATOR_CONCURRENCY,
      ratePerSecond: values.REGULATOR_RATE_PER_SECOND,
      port: ports.regulatorSimulator,
    },
    mail: {
      embedded: values.SMTP_URL === undefined,
      requireTls: needsStartTls(values),
      url: values.SMTP_URL ?? `smtp://127.0.0.1:${ports.mailbox}`,
      from: values.MAIL_FROM,
      port: ports.mailbox,
      uiPort: ports.mailboxPages,
      digests: values.MAIL_DIGESTS,
      defaultRecipient: values.DEFAULT_NOTIFICATION_EMAIL ?? null,
    },
    archive: {
      url: values.STORAGE_URL ?? `file:${join(dataDir, 'archive')}`,
      retentionDays: values.ARCHIVE_RETENTION_DAYS,
      failedRetentionDays: Math.min(CONSTANTS.archive.failedRetentionDays, values.ARCHIVE_RETENTION_DAYS),
      /** Days after which people are forgotten. Null for never. */
      auditRetentionDays: values.AUDIT_RETENTION_DAYS ?? null,
      minFreeBytes: (values.STORAGE_MIN_FREE_MB ?? 0) * MB,
    },
    readingMemoryBytes: CONSTANTS.readingMemoryBytes,
    /** Newest first. Undefined to generate one in the data directory. Null if the process reads no encrypted data. */
    encryptionSecrets: parts.has('encryption') ? values.ENCRYPTION_SECRET : null,
    /** Ed25519 key that signs dossiers. Null to leave them unsigned. */
    dossierKey: values.DOSSIER_SIGNING_KEY ?? null,
    shutdownGraceMs: CONSTANTS.shutdownGraceMs,
    healthPort: values.HEALTH_PORT,
    worker: workerOf(values),
    allowDemoParts: values.ALLOW_DEMO_PARTS,
    logLevel: values.LOG_LEVEL,
  });
}

function databaseOf({ DATABASE_URL, DATABASE_POOL_SIZE }: Values, { postgres: port }: Ports): DatabaseConfig {
  return {
    embedded: DATABASE_URL === undefined,
    url: DATABASE_URL ?? `postgresql://package_import:package_import@127.0.0.1:${port}/package_import`,
    port,
    poolSize: DATABASE_POOL_SIZE,
  };
}

interface DatabaseConfig {
  embedded: boolean;
  url: string;
  port: number;
  poolSize: number;
  /** Overrides the timeout of src/database/orm.ts, for tests. */
  queryMs?: number;
}

function authOf(values: Values, { identityService: port }: Ports) {
  const embedded = values.AUTH_ISSUER === undefined;
  const issuer = values.AUTH_ISSUER ?? `http://127.0.0.1:${port}`;
  return {
    embedded,
    issuer,
    /** Null to read it from the issuer's metadata. */
    jwksUrl: values.AUTH_JWKS_URL ?? (embedded ? `${issuer}/oauth2/jwks` : null),
    /** The token endpoint. Null if it is not known. */
    tokenUrl: values.AUTH_TOKEN_URL ?? (embedded ? `${issuer}/oauth2/token` : null),
    audience: values.AUTH_AUDIENCE,
    acceptsPlain: values.AUTH_PLAIN_JWT,
    permissionsClaim: values.AUTH_PERMISSIONS_CLAIM,
    submittersClaim: values.AUTH_SUBMITTERS_CLAIM,
    /** The web page's OAuth client. */
    app: { clientId: values.AUTH_APP_CLIENT_ID, scope: values.AUTH_APP_SCOPE },
    port,
  };
}

function workerOf({ WORKER_ROLES, REFUSED_PRODUCT_CHECKS }: Values): WorkerConfig {
  return {
    ...CONSTANTS.worker,
    roles: WORKER_ROLES,
    parser: { refusedChecks: REFUSED_PRODUCT_CHECKS },
  };
}

interface WorkerConfig {
  roles: readonly WorkerRole[];
  readingConcurrency: number;
  readingSliceMs: number;
  /** `threads` overrides the size of the parser pool, for tests. */
  parser: { threads?: number; refusedChecks: readonly ProductCheck[] };
  /** Overrides the machine's name in Temporal, for screenshots. */
  machine?: string;
}

/** The configuration of this process: its environment, plus a file `.env` in the working directory. */
export function configOfThisProcess(program: Program): Config {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return loadConfig(process.env, process.cwd(), program);
}
