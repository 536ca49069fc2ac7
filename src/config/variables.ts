/** The variables of the environment: their names, kinds and defaults, and what has to be set together. */
import { z } from 'zod';
import { unsafeVariables } from './hardening.ts';
import {
  count,
  databaseUrl,
  digests,
  domains,
  flag,
  hosts,
  integer,
  limit,
  port,
  positive,
  productChecks,
  roles,
  url,
} from './kinds.ts';

const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port(8080),
  /** Path prefix of every route, e.g. `/api`. */
  BASE_PATH: z
    .string()
    .regex(/^(?:\/[\w.~-]+)*$/, 'must be empty or a path like /api')
    .default(''),
  /** Where clients reach the gateway, base path included. */
  PUBLIC_URL: url('http:', 'https:').optional(),
  /** Proxies in front of the gateway whose X-Forwarded headers are true. */
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  /** Connections of one process; those beyond get 503. */
  MAX_CONNECTIONS: integer(1000),
  /** Uploads that one process receives at the same time: with a bucket each holds two parts of 5 MiB and more, all of them 400 MB. */
  UPLOADS_PER_PROCESS: integer(28),

  // Of one client, over all gateways; 0 for no limit (architecture §quotas).
  CLIENT_REQUESTS_PER_MINUTE: count(6000),
  CLIENT_UPLOADS_AT_ONCE: count(32),
  /** Domains to which summaries may be sent; none for all. */
  MAIL_RECIPIENT_DOMAINS: domains,
  /** Hosts that clients may have messages sent to; none where there are no webhooks. */
  WEBHOOK_HOSTS: hosts,
  DATA_DIR: z.string().default('.data'),

  DATABASE_URL: databaseUrl.optional(),
  POSTGRES_PORT: port(5433),
  DATABASE_POOL_SIZE: integer(10),
  /** Seconds without an answer to a statement after which its connection is given up. */
  DATABASE_QUERY_SECONDS: positive(60),

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
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),
  /** Where people reach the Temporal Web UI. */
  TEMPORAL_UI_URL: url('http:', 'https:').optional(),

  AUTH_ISSUER: url('http:', 'https:').optional(),
  AUTH_JWKS_URL: url('http:', 'https:').optional(),
  /** Where clients get their tokens, for the API description and its page. */
  AUTH_TOKEN_URL: url('http:', 'https:').optional(),
  AUTH_AUDIENCE: z.string().min(1).default('submissions-tool'),
  /** Claim that lists the permissions; an array, or a string separated by blanks. */
  AUTH_PERMISSIONS_CLAIM: z.string().min(1).optional(),
  /** Claim that lists the submitters whose products a client may import and see; form as above. */
  AUTH_SUBMITTERS_CLAIM: z.string().min(1).optional(),
  /** The public client as which the web page logs people in. */
  AUTH_APP_CLIENT_ID: z.string().min(1).default('package-import-app'),
  /** What the web page asks for at login, separated by blanks. */
  AUTH_APP_SCOPE: z.string().min(1).default('openid'),
  /** For how long an access token may be valid. */
  AUTH_MAX_TOKEN_HOURS: positive(24),
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
  /** Who gets one mail a day about the imports of which client. */
  MAIL_DIGESTS: digests,
  DEFAULT_NOTIFICATION_EMAIL: z.union([z.literal('').transform(() => undefined), z.email()]).optional(),

  STORAGE_URL: url('file:', 's3:').optional(),
  ARCHIVE_RETENTION_DAYS: positive(90),
  MAX_UPLOAD_MB: positive(2048),
  /** Seconds without a byte after which an upload is given up. */
  UPLOAD_IDLE_SECONDS: positive(60),
  /** Bytes per second that an upload has to bring, averaged over a minute. */
  UPLOAD_MIN_BYTES_PER_SECOND: limit(1024),
  /** Days after which the ZIP of an import that failed is deleted. */
  FAILED_ARCHIVE_RETENTION_DAYS: positive(7),
  /** MB of free space below which uploads are refused. */
  STORAGE_MIN_FREE_MB: limit(1024),

  /** Seconds that a stop waits for uploads and activities under way. */
  SHUTDOWN_GRACE_SECONDS: positive(30),
  /** Packages that a worker reads at the same time. */
  READING_CONCURRENCY: integer(2),
  /** Seconds for which the package of an import is read before others may be. */
  READING_TURN_SECONDS: positive(10),
  /** Threads in which a worker parses product files; how many when it is not set, the parser pool knows. */
  PARSER_THREADS: z.coerce.number().int().positive().optional(),
  /** Checks of products that refuse a file instead of warning (docs/product-checks.md). */
  REFUSED_PRODUCT_CHECKS: productChecks,
  /** Memory of a process for the directories of packages that it reads at the same time; of a worker, as much for contents. */
  READING_MEMORY_MB: integer(64),
  /** Port on which a worker process serves its health; 0 for none. */
  WORKER_HEALTH_PORT: port(0),
  /** How a worker names itself in Temporal; `{role}`, `{host}` and `{pid}` are filled in. */
  WORKER_IDENTITY: z.string().min(1).default('{role}@{host}:{pid}'),
  /** Whether gateway and workers serve `/metrics`. */
  METRICS: flag.default(true),
  /** Encrypts the regulator session at rest. */
  ENCRYPTION_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** Lets secrets cross a network without TLS, or to servers that are not verified. */
  ALLOW_INSECURE: flag.default(false),
  /** Lets embedded parts and published secrets serve others than this machine. */
  ALLOW_DEMO_PARTS: flag.default(false),
  WORKER_ROLES: roles,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** The names of all variables, for the checks of the documentation. */
export const CONFIG_VARIABLES = Object.keys(variables.shape);

export type Variables = z.infer<typeof variables>;

export class InvalidConfiguration extends Error {}

/** Blank variables are absent ones. @throws InvalidConfiguration that names every variable at fault */
export function parseVariables(env: NodeJS.ProcessEnv): Variables {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = variables.safeParse(present);
  if (!parsed.success) {
    throw invalid(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  }
  requireWhatBelongsTogether(parsed.data);
  const unsafe = unsafeVariables(parsed.data, present);
  if (unsafe.length > 0) throw invalid(unsafe);
  return parsed.data;
}

function invalid(faults: string[]): InvalidConfiguration {
  const lines = faults.map((fault) => `  ${fault}`).join('\n');
  return new InvalidConfiguration(`The configuration is invalid.\n${lines}`);
}

function requireWhatBelongsTogether(e: Variables): void {
  if ((e.TEMPORAL_TLS_CERT === undefined) !== (e.TEMPORAL_TLS_KEY === undefined)) {
    throw new InvalidConfiguration(
      'TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY: a client certificate needs both, the certificate and its key.',
    );
  }
  if (e.REGULATOR_AUTO_LOGIN && e.REGULATOR_URL !== undefined) {
    throw new InvalidConfiguration(
      'REGULATOR_AUTO_LOGIN: works with the embedded regulator simulator only; a real regulator mails the code to people.',
    );
  }
}
