/**
 * The configuration: the environment, parsed once and frozen (design §9). Defaults suit `npm start` on one
 * machine; setting a variable replaces the embedded part that it stands for.
 */
import { availableParallelism, homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { TASK_QUEUES, type TaskQueue } from './domain/task-queues.ts';

const port = (value: number) => z.coerce.number().int().min(0).max(65_535).default(value);
const positive = (value: number) => z.coerce.number().positive().default(value);
const integer = (value: number) => z.coerce.number().int().positive().default(value);
const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');
const url = (...protocols: string[]) =>
  z
    .string()
    .refine((value) => protocols.includes(protocolOf(value)), `must be a URL (${protocols.join(', ')})`);

/** `id:secret,id:secret`: the first encrypts, the others are still able to decrypt what they have encrypted. */
const payloadKeys = z
  .string()
  .regex(
    /^[\w.-]{1,64}:[^,\s]{16,}(?:,[\w.-]{1,64}:[^,\s]{16,})*$/,
    'must be a list of id:secret, with commas between, each secret of at least 16 characters',
  )
  .transform((value) =>
    value.split(',').map((key) => {
      const [id = '', ...secret] = key.split(':');
      return { id, secret: secret.join(':') };
    }),
  )
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'has an id twice');

/** A worker's role is the task queue that it serves. */
export type WorkerRole = TaskQueue;

const roles = z
  .string()
  .default('all')
  .transform((value) =>
    value === 'all' ? Object.values(TASK_QUEUES) : value.split(',').map((role) => role.trim()),
  )
  .pipe(z.array(z.enum(TASK_QUEUES)).min(1));

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port(8080),
  /** Path prefix of every route, e.g. `/api`. */
  BASE_PATH: z
    .string()
    .regex(/^(?:\/[\w.~-]+)*$/, 'must be empty or a path like /api')
    .default(''),
  /** Proxies in front of the gateway whose X-Forwarded headers are true. */
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  /** Requests per minute of one client. */
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().positive().optional(),
  DATA_DIR: z.string().default('.data'),

  DATABASE_URL: url('postgresql:', 'postgres:').optional(),
  POSTGRES_PORT: port(5433),
  DATABASE_POOL_SIZE: integer(10),

  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d+$/, 'must be host:port')
    .optional(),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: flag.optional(),
  TEMPORAL_TLS_CERT: z.string().optional(),
  TEMPORAL_TLS_KEY: z.string().optional(),
  TEMPORAL_TLS_CA: z.string().optional(),
  /** Name that the server's certificate must have, where it is not the host of the address. */
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  /** Keys of the encryption of payloads at rest. */
  TEMPORAL_PAYLOAD_KEYS: payloadKeys.optional(),
  /** Origin of the Web UI that may have payloads decoded, `https://temporal.example`. */
  TEMPORAL_CODEC_ORIGIN: url('http:', 'https:')
    .transform((value) => new URL(value).origin)
    .optional(),
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),

  AUTH_ISSUER: url('http:', 'https:').optional(),
  AUTH_JWKS_URL: url('http:', 'https:').optional(),
  AUTH_AUDIENCE: z.string().min(1).default('submissions-tool'),
  /** Claim that lists the permissions; an array, or a string separated by blanks. */
  AUTH_PERMISSIONS_CLAIM: z.string().min(1).optional(),
  IAM_PORT: port(8081),

  REGULATOR_URL: url('http:', 'https:').optional(),
  REGULATOR_USERNAME: z.string().default('importer@company.example'),
  REGULATOR_PASSWORD: z.string().default('demo-password'),
  REGULATOR_AUTO_LOGIN: flag.optional(),
  REGULATOR_PORT: port(8082),
  REGULATOR_CONCURRENCY: integer(20),
  REGULATOR_RATE_PER_SECOND: z.coerce.number().positive().optional(),

  SMTP_URL: url('smtp:', 'smtps:').optional(),
  MAIL_FROM: z.email().default('package-import@company.example'),
  MAIL_PORT: port(1025),
  MAIL_UI_PORT: port(8025),
  DEFAULT_NOTIFICATION_EMAIL: z.union([z.literal('').transform(() => undefined), z.email()]).optional(),

  STORAGE_URL: url('file:', 's3:').optional(),
  ARCHIVE_RETENTION_DAYS: positive(90),
  MAX_UPLOAD_MB: positive(2048),
  /** Seconds without a byte after which an upload is given up. */
  UPLOAD_IDLE_SECONDS: positive(60),

  /** Seconds that a stop waits for uploads and activities under way. */
  SHUTDOWN_GRACE_SECONDS: positive(30),
  /** Threads in which a worker parses product files; by default one per core. */
  PARSER_THREADS: integer(Math.min(2, availableParallelism())),
  /** Port on which a worker process serves its health; 0 for none. */
  WORKER_HEALTH_PORT: port(0),
  /** How a worker names itself in Temporal; `{role}`, `{host}` and `{pid}` are filled in. */
  WORKER_IDENTITY: z.string().min(1).default('{role}@{host}:{pid}'),
  /** Names the version of the worker's code in Temporal; by default the package's version and a digest of the code. */
  BUILD_ID: z
    .string()
    .regex(/^[\w.+-]{1,128}$/, 'must be at most 128 letters, digits and .+-_')
    .optional(),
  /** Whether gateway and workers serve `/metrics`. */
  METRICS: flag.default(true),
  /** Encrypts the regulator session at rest. */
  ENCRYPTION_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  WORKER_ROLES: roles,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** The names of all variables, for the checks of the documentation. */
export const CONFIG_VARIABLES = Object.keys(environment.shape);

export type Config = ReturnType<typeof loadConfig>;

export class InvalidConfiguration extends Error {}

/** Per user, shared by all clones and data directories: what was downloaded or built once. */
const CACHE_NAME = 'package-import';

/**
 * @throws InvalidConfiguration that names every variable at fault
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, cwd: string = process.cwd()) {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(present);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new InvalidConfiguration(
      `The configuration is invalid.\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
  const e = parsed.data;
  if ((e.TEMPORAL_TLS_CERT === undefined) !== (e.TEMPORAL_TLS_KEY === undefined)) {
    throw new InvalidConfiguration(
      'TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY: a client certificate needs both, the certificate and its key.',
    );
  }
  if (e.TEMPORAL_CODEC_ORIGIN !== undefined && e.TEMPORAL_PAYLOAD_KEYS === undefined) {
    throw new InvalidConfiguration(
      'TEMPORAL_CODEC_ORIGIN: there is nothing to decode without TEMPORAL_PAYLOAD_KEYS.',
    );
  }
  const dataDir = isAbsolute(e.DATA_DIR) ? e.DATA_DIR : resolve(cwd, e.DATA_DIR);
  const issuer = e.AUTH_ISSUER ?? `http://127.0.0.1:${e.IAM_PORT}`;
  const embeddedRegulator = e.REGULATOR_URL === undefined;
  if (e.REGULATOR_AUTO_LOGIN && !embeddedRegulator) {
    throw new InvalidConfiguration(
      'REGULATOR_AUTO_LOGIN: works with the embedded regulator simulator only; a real regulator mails the code to people.',
    );
  }
  return Object.freeze({
    gateway: {
      host: e.HOST,
      port: e.PORT,
      basePath: e.BASE_PATH,
      trustedProxies: e.TRUSTED_PROXIES,
      requestsPerMinute: e.RATE_LIMIT_PER_MINUTE ?? null,
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
    },
    temporal: {
      embedded: e.TEMPORAL_ADDRESS === undefined,
      address: e.TEMPORAL_ADDRESS ?? `127.0.0.1:${e.TEMPORAL_PORT}`,
      namespace: e.TEMPORAL_NAMESPACE,
      apiKey: e.TEMPORAL_API_KEY,
      tls: {
        enabled: e.TEMPORAL_TLS ?? wantsTls(e),
        certFile: e.TEMPORAL_TLS_CERT,
        keyFile: e.TEMPORAL_TLS_KEY,
        caFile: e.TEMPORAL_TLS_CA,
        serverName: e.TEMPORAL_TLS_SERVER_NAME,
      },
      payloadKeys: e.TEMPORAL_PAYLOAD_KEYS ?? null,
      codecOrigin: e.TEMPORAL_CODEC_ORIGIN ?? null,
      port: e.TEMPORAL_PORT,
      uiPort: e.TEMPORAL_UI_PORT,
    },
    auth: {
      embedded: e.AUTH_ISSUER === undefined,
      issuer,
      /** Null: from the issuer's metadata. */
      jwksUrl: e.AUTH_JWKS_URL ?? (e.AUTH_ISSUER === undefined ? `${issuer}/oauth2/jwks` : null),
      audience: e.AUTH_AUDIENCE,
      permissionsClaim: e.AUTH_PERMISSIONS_CLAIM,
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
      url: e.SMTP_URL ?? `smtp://127.0.0.1:${e.MAIL_PORT}`,
      from: e.MAIL_FROM,
      port: e.MAIL_PORT,
      uiPort: e.MAIL_UI_PORT,
      defaultRecipient: e.DEFAULT_NOTIFICATION_EMAIL ?? null,
    },
    archive: {
      url: e.STORAGE_URL ?? `file:${join(dataDir, 'archive')}`,
      retentionDays: e.ARCHIVE_RETENTION_DAYS,
      maxUploadBytes: Math.floor(e.MAX_UPLOAD_MB * 1024 * 1024),
      uploadIdleSeconds: e.UPLOAD_IDLE_SECONDS,
    },
    encryptionSecret: e.ENCRYPTION_SECRET,
    shutdownGraceMs: e.SHUTDOWN_GRACE_SECONDS * 1000,
    worker: {
      roles: e.WORKER_ROLES,
      healthPort: e.WORKER_HEALTH_PORT,
      parserThreads: e.PARSER_THREADS,
      identity: e.WORKER_IDENTITY,
      buildId: e.BUILD_ID,
    },
    metrics: e.METRICS,
    logLevel: e.LOG_LEVEL,
  });
}

/** Whatever only makes sense over TLS switches it on. */
function wantsTls(e: z.infer<typeof environment>): boolean {
  return [e.TEMPORAL_API_KEY, e.TEMPORAL_TLS_CERT, e.TEMPORAL_TLS_CA, e.TEMPORAL_TLS_SERVER_NAME].some(
    (value) => value !== undefined,
  );
}

function protocolOf(value: string): string {
  try {
    return new URL(value).protocol;
  } catch {
    return '';
  }
}
