/**
 * Every variable of the environment: its name, kind, default and description. `npm test -- test/documentation -u` writes
 * `.env.example` from this table, in this order.
 */
import { z } from 'zod';
import { MAX_PORT_OFFSET } from './constants.ts';
import * as kind from './kinds.ts';

interface Variable<Value = unknown> {
  kind: z.ZodType<Value>;
  /** Default as text, before parsing. Null if the value of an unset variable is undefined. */
  default: string | null;
  about: string;
}

/** A variable with a default. */
function variable<Kind extends z.ZodType>(
  kind: Kind,
  ifNotSet: string,
  about: string,
): Variable<z.output<Kind>> {
  return { kind: kind as z.ZodType<z.output<Kind>>, default: ifNotSet, about };
}

/** A variable without a default. Its description says what happens if it is not set. */
function optional<Kind extends z.ZodType>(kind: Kind, about: string): Variable<z.output<Kind> | undefined> {
  return { kind: kind as z.ZodType<z.output<Kind>>, default: null, about };
}

const gateway = {
  HOST: variable(
    kind.text,
    '127.0.0.1',
    'Address that the gateway listens on. The container image sets 0.0.0.0. With Docker Compose: the address of this machine on which the load balancer is published; 0.0.0.0 opens it to the network. The ports of all other parts stay on 127.0.0.1.',
  ),
  PORT: optional(
    kind.port,
    'Port of the gateway. With Docker Compose: port of the load balancer in front of it. Not set: 8080 plus PORT_OFFSET.',
  ),
  PORT_OFFSET: variable(
    z.coerce.number().int().min(0).max(MAX_PORT_OFFSET),
    '0',
    'Number that is added to the default of PORT and to the ports of the embedded parts of `npm start`. It lets a second checkout run beside the first. With 10000, the gateway has port 18080, and the Temporal Web UI has 18233 instead of 8233.',
  ),
  BASE_PATH: variable(
    kind.text.regex(/^(?:\/[\w.~-]+)*$/, 'must be empty or a path like /api'),
    '',
    'Path prefix of every route, such as /api.',
  ),
  PUBLIC_URL: optional(
    kind.url('http:', 'https:'),
    'Public URL of the gateway, including BASE_PATH, such as https://import.example/api. E-mails link to the import on the web page. Lists link to their next page, and answers to uploads to their import. Not set: mails have no links, and links in answers are paths without a host.',
  ),
  TRUSTED_PROXIES: variable(
    z.coerce.number().int().min(0).max(10),
    '0',
    'Number of trusted proxies in front of the gateway, one behind the other. The gateway trusts their X-Forwarded-For and X-Forwarded-Proto. If it is not 0, answers to https requests have the header Strict-Transport-Security (HSTS).',
  ),
  MAX_UPLOAD_MB: variable(kind.megabytes, '2048', 'Maximum size of a ZIP, in MB of 1024 × 1024 bytes.'),
};

const quotas = {
  CLIENT_UPLOADS_AT_ONCE: variable(
    kind.count,
    '32',
    'Concurrent uploads, including dry runs. An upload counts from its first byte to its answer.',
  ),
  MAIL_RECIPIENT_DOMAINS: variable(
    kind.domains,
    '',
    'Domains to which clients may send summaries, separated by commas; * for any domain. Not set: any domain. A gateway that is open to other machines does not start without it.',
  ),
};

const data = {
  DATA_DIR: variable(
    kind.text,
    '.data',
    'Data directory of the embedded parts of `npm start`. It survives a restart. Downloads and builds are in another directory, package-import in XDG_CACHE_HOME (~/.cache).',
  ),
  DATABASE_URL: optional(
    kind.databaseUrl,
    'PostgreSQL server, postgresql://user:password@host:port/database?sslmode=verify-full. Not set: the embedded server. sslmode: verify-full (verifies certificate and host name), verify-ca (verifies the certificate), require (verifies nothing) or disable (no TLS, the default). sslrootcert: PEM file with the certificate authority; if it is not set, or system, the authorities that Node.js trusts. sslcert and sslkey: PEM files of a client certificate. A server on another machine requires verify-full or verify-ca.',
  ),
  DATABASE_POOL_SIZE: variable(
    kind.integer,
    '10',
    'Maximum number of database connections of one process. A gateway needs 3. A worker needs 2, one more for each of the roles package-import and regulator-insert, and two more for package-reading. A process does not start with fewer.',
  ),
  STORAGE_URL: optional(
    kind.storageUrl,
    "Archive of the uploaded ZIPs: file:///directory or s3://bucket/prefix. Not set: archive/ in DATA_DIR. Gateways and workers must use the same archive. Region, credentials and endpoint of a bucket come from Amazon's standard variables, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL_S3, or from a role. An endpoint on another machine must be https.",
  ),
  ARCHIVE_RETENTION_DAYS: variable(
    kind.days,
    '90',
    'Retention of ZIPs and raw XML, in days from the upload. The ZIP of a failed import is deleted after at most 7 days. Notes of files that were refused, skipped or unreadable are deleted as well, after at least 91 days. Other records stay.',
  ),
  AUDIT_RETENTION_DAYS: optional(
    kind.auditDays,
    'Days after which personal data are removed, at least 30. The audit trail and cancelled imports then name person:forgotten, and the recipients of summaries are deleted. Actions, times and clients stay. Not set: never.',
  ),
  STORAGE_MIN_FREE_MB: variable(
    kind.limit,
    '1024',
    'Minimum free space in the directory of the archive, in MB, beside what the uploads under way may need. Each upload reserves twice its Content-Length, for its ZIP and its attachments. An upload without that header reserves twice MAX_UPLOAD_MB. Below the minimum, uploads get 503. 0: no check. It has no effect with a bucket.',
  ),
  ENCRYPTION_SECRET: optional(
    kind.secrets,
    'Secret that encrypts the regulator session and the secrets of webhooks in the database: at least 16 characters without a comma, the same for gateways and workers. During a rotation several, newest first, separated by commas: deploy/runbook.md. Not set: one is generated in DATA_DIR, which works on one machine only. To generate one: openssl rand -base64 32',
  ),
  DOSSIER_SIGNING_KEY: optional(
    kind.signingKey,
    'Ed25519 private key that signs dossiers, the text of a PEM file (PKCS #8). Line breaks may be written as \\n. All gateways need the same key. To generate one: openssl genpkey -algorithm ed25519. Not set: dossiers are not signed (docs/dossier.md).',
  ),
};

/**
 * Describes and checks the variables of Temporal's connection. Temporal's own reader gives the values (../temporal.ts).
 */
const temporal = {
  TEMPORAL_ADDRESS: optional(
    kind.text.regex(/^[^\s/]+:\d+$/, 'must be host:port'),
    'Temporal server, host:port. A server on another machine requires TLS. Not set: a local server is started.',
  ),
  TEMPORAL_NAMESPACE: variable(kind.text, 'default', 'Namespace of the workflows.'),
  TEMPORAL_API_KEY: optional(kind.text, 'API key of Temporal Cloud.'),
  TEMPORAL_UI_URL: optional(
    kind.url('http:', 'https:'),
    'URL of the Temporal Web UI. Summary e-mails and the web page link to runs there. Not set: no such links.',
  ),
};

const auth = {
  AUTH_ISSUER: optional(
    kind.url('http:', 'https:'),
    'Issuer of the access tokens, exactly as in their claim `iss`. Not set: the embedded identity service.',
  ),
  AUTH_JWKS_URL: optional(
    kind.url('http:', 'https:'),
    "URL of the issuer's public keys (JWKS). Not set: the URL in the issuer's metadata.",
  ),
  AUTH_TOKEN_URL: optional(
    kind.url('http:', 'https:'),
    'Token endpoint of the identity service, such as https://identity.example/oauth2/token. The page /api/doc fetches tokens there, if the identity service allows its origin (CORS). Not set: the endpoint of the embedded identity service.',
  ),
  AUTH_AUDIENCE: variable(kind.text.min(1), 'submissions-tool', 'Audience that access tokens must have.'),
  AUTH_PLAIN_JWT: variable(
    kind.flag,
    'false',
    'true also accepts JWTs that do not say that they are access tokens, by the header type at+jwt, `token_use` or `typ`, unless they have a claim of an ID token: `nonce`, `at_hash` or `c_hash`. It is meant for an identity service that does not mark access tokens. It must not issue ID tokens with AUTH_AUDIENCE as their audience.',
  ),
  AUTH_PERMISSIONS_CLAIM: optional(
    kind.text.min(1),
    'Claim with the permissions: a list, or words separated by spaces. Dots separate nested names. Not set: `permissions`, else `scope`.',
  ),
  AUTH_SUBMITTERS_CLAIM: optional(
    kind.text.min(1),
    'Claim with the submitter IDs (five digits) whose products a token may import: a list, or words separated by spaces. Dots separate nested names. Tokens of one client with different submitters are different tenants: neither sees the records of the other. Not set: every client may import every product, as when all clients belong to one company.',
  ),
  AUTH_APP_CLIENT_ID: variable(
    kind.text.min(1),
    'package-import-app',
    'Client ID of the web page at the identity service: a public client with the authorization code flow and PKCE.',
  ),
  AUTH_APP_SCOPE: variable(
    kind.text.min(1),
    'openid',
    'Scopes that the web page requests at login, separated by spaces.',
  ),
};

const regulator = {
  REGULATOR_URL: optional(
    kind.url('http:', 'https:'),
    "URL of the regulator's API. Not set: the embedded simulator.",
  ),
  REGULATOR_USERNAME: variable(
    kind.text,
    'importer@company.example',
    "User name of the service's account at the regulator. The simulator mails its verification codes to this address.",
  ),
  REGULATOR_PASSWORD: variable(kind.text, 'demo-password', 'Password of that account.'),
  REGULATOR_CONCURRENCY: variable(
    kind.integer,
    '20',
    'Maximum number of products whose steps run at the same time, over all workers together.',
  ),
  REGULATOR_RATE_PER_SECOND: variable(
    kind.limit,
    '50',
    'Maximum number of calls to the regulator per second, over all workers together. A product takes 7 calls, and one more for each attachment. 0: no limit.',
  ),
};

const notifying = {
  SMTP_URL: optional(
    kind.url('smtp:', 'smtps:'),
    'Mail server, smtp://user:password@host:port or smtps://… Not set: the embedded mailbox.',
  ),
  MAIL_FROM: variable(z.email(), 'package-import@company.example', 'Sender of the summaries.'),
  DEFAULT_NOTIFICATION_EMAIL: optional(
    z.email(),
    'Default recipient of summaries, for uploads that name no address. Not set: no mail.',
  ),
  MAIL_DIGESTS: variable(
    kind.digests,
    '',
    'Recipients of the digest, one mail a day about the imports of a client: client=address, separated by commas. Several addresses of a client are separated by spaces: spring-client=a@company.example b@company.example. Not set: no digests.',
  ),
  WEBHOOK_HOSTS: variable(
    kind.hosts,
    '',
    'Hosts to which webhooks may be sent, by https, separated by commas. A host has its port unless that is 443: hooks.company.example, other.example:8443. Gateways and workers need the same value. Not set: no webhooks.',
  ),
};

const processes = {
  WORKER_ROLES: variable(
    kind.roles,
    'all',
    'Roles of a worker process: package-import, package-reading and regulator-insert, separated by commas, or all.',
  ),
  HEALTH_PORT: variable(
    kind.port,
    '0',
    'Port on which a gateway or a worker serves /health/live, /health/ready and /metrics, on the address HOST. With `npm start` the gateway has this port and the worker the next one. The container image sets 8081. 0: none.',
  ),
  REFUSED_PRODUCT_CHECKS: variable(
    kind.productChecks,
    '',
    'Product checks that refuse a file instead of adding a warning, separated by commas, or all: docs/product-checks.md.',
  ),
  LOG_LEVEL: variable(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
    'Log level: fatal, error, warn, info, debug, trace or silent. Traces use the standard variables of OpenTelemetry: docs/observability.md.',
  ),
};

const safety = {
  ALLOW_INSECURE: variable(
    kind.flag,
    'false',
    'true allows connections to other machines without TLS, or with TLS that does not verify the server: DATABASE_URL, TEMPORAL_ADDRESS, the endpoint of a bucket, AUTH_ISSUER, AUTH_JWKS_URL, AUTH_TOKEN_URL, REGULATOR_URL and credentials in SMTP_URL. It is meant for trusted networks, such as that of Docker Compose, which sets it. If it is false, no process starts with such an address.',
  ),
  ALLOW_DEMO_PARTS: variable(
    kind.flag,
    'false',
    'true allows embedded parts and published secrets although HOST or PUBLIC_URL is open to other machines. It is meant for trials.',
  ),
};

export const VARIABLES = {
  ...gateway,
  ...quotas,
  ...data,
  ...temporal,
  ...auth,
  ...regulator,
  ...notifying,
  ...processes,
  ...safety,
};

export type VariableName = keyof typeof VARIABLES;

/** The parsed value of each variable. */
export type Values = { [Name in VariableName]: z.output<(typeof VARIABLES)[Name]['kind']> };

interface Group {
  title: string;
  /** Description that applies to all of its variables. */
  about?: string;
  variables: Readonly<Record<string, Variable>>;
}

export const GROUPS: readonly Group[] = [
  { title: 'Gateway', variables: gateway },
  {
    title: 'Clients',
    about:
      'Quotas of one client, over all gateways together. Beyond them the gateway answers 429. 0: no limit.',
    variables: quotas,
  },
  { title: 'Data', variables: data },
  {
    title: 'Temporal',
    about:
      "The connection uses the standard variables of Temporal's SDKs and command line (https://docs.temporal.io/references/client-environment-configuration). They are the first three variables below, TEMPORAL_TLS (true or false), TEMPORAL_TLS_SERVER_NAME and TEMPORAL_GRPC_META_*. TEMPORAL_TLS_CLIENT_CERT, TEMPORAL_TLS_CLIENT_KEY and TEMPORAL_TLS_SERVER_CA_CERT have the suffix _PATH for a PEM file, or _DATA for its contents. TLS is on if a variable TEMPORAL_TLS_* or an API key is set, unless TEMPORAL_TLS is false. A configuration file is read only if TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE is set.",
    variables: temporal,
  },
  { title: 'Access tokens', variables: auth },
  { title: 'Regulator', variables: regulator },
  { title: 'Mail and webhooks', variables: notifying },
  { title: 'Processes', variables: processes },
  { title: 'Safety', variables: safety },
];

/** The message names each variable at fault, on a line of its own. */
export class InvalidConfiguration extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration is invalid.\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/**
 * @param set the variables that are set
 * @throws InvalidConfiguration that names every variable at fault
 */
export function readVariables(set: Readonly<Record<string, string>>): Values {
  const faults: string[] = [];
  const read = ([name, { kind, default: ifNotSet }]: [string, Variable]) => {
    const text = set[name] ?? ifNotSet;
    if (text === null) return [name, undefined];
    const parsed = kind.safeParse(text);
    if (!parsed.success)
      faults.push(`${name}: ${parsed.error.issues.map(({ message }) => message).join('; ')}`);
    return [name, parsed.data];
  };
  const values = Object.fromEntries(Object.entries(VARIABLES).map(read));
  if (faults.length > 0) throw new InvalidConfiguration(faults);
  return values as Values;
}
