/** What is refused outside of one machine: secrets in clear text, and secrets that everybody knows (architecture §safe-by-default). */
import { isSafe, parseDatabaseTls } from '../database/connection-url.ts';
import { isLoopback } from '../domain/loopback.ts';

/** Of the variables, those that are looked at here. */
interface Variables {
  HOST: string;
  ALLOW_INSECURE: boolean;
  ALLOW_DEMO_PARTS: boolean;
  DATABASE_URL?: string | undefined;
  STORAGE_URL?: string | undefined;
  ENCRYPTION_SECRET?: string | undefined;
  TEMPORAL_ADDRESS?: string | undefined;
  TEMPORAL_API_KEY?: string | undefined;
  TEMPORAL_TLS?: boolean | undefined;
  TEMPORAL_TLS_CERT?: string | undefined;
  TEMPORAL_TLS_CA?: string | undefined;
  TEMPORAL_TLS_SERVER_NAME?: string | undefined;
  AUTH_ISSUER?: string | undefined;
  AUTH_JWKS_URL?: string | undefined;
  AUTH_TOKEN_URL?: string | undefined;
  REGULATOR_URL?: string | undefined;
  REGULATOR_PASSWORD: string;
  SMTP_URL?: string | undefined;
}

/** Values that this repository publishes: defaults, docker-compose.yml, the examples of deploy/kubernetes. */
const PUBLISHED = new Set([
  'demo-password',
  'demo-secret',
  'for-development-only',
  'package_import',
  'postgres',
  'temporal',
  'admin',
]);
const PLACEHOLDER = /change-?me/i;

/**
 * One line per variable that must not be as it is; none where everything is safe, or was allowed explicitly.
 *
 * @param env for the variables of Node.js and of Amazon's SDK
 */
export function unsafeVariables(e: Variables, env: NodeJS.ProcessEnv): string[] {
  return [...inClearText(e, env), ...known(e)];
}

/** Whether Temporal is reached with TLS, which verifies the server. What only makes sense over TLS switches it on. */
export function temporalTls(e: Variables): boolean {
  const needTls = [e.TEMPORAL_API_KEY, e.TEMPORAL_TLS_CERT, e.TEMPORAL_TLS_CA, e.TEMPORAL_TLS_SERVER_NAME];
  return e.TEMPORAL_TLS ?? needTls.some((value) => value !== undefined);
}

function inClearText(e: Variables, env: NodeJS.ProcessEnv): string[] {
  if (e.ALLOW_INSECURE) return [];
  const faults: string[] = [];
  for (const name of ['AUTH_ISSUER', 'AUTH_JWKS_URL', 'AUTH_TOKEN_URL', 'REGULATOR_URL'] as const)
    if (isClear(e[name], 'http:')) faults.push(`${name}: must be https, or on this machine`);
  if (e.DATABASE_URL !== undefined && !isSafe(parseDatabaseTls(e.DATABASE_URL)))
    faults.push('DATABASE_URL: must have sslmode=verify-full, or be on this machine');
  if (e.TEMPORAL_ADDRESS !== undefined && !temporalTls(e) && !isLoopback(hostOf(e.TEMPORAL_ADDRESS)))
    faults.push('TEMPORAL_ADDRESS: must be reached with TLS (TEMPORAL_TLS=true), or be on this machine');
  const endpoint = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find((name) => env[name]);
  if (e.STORAGE_URL?.startsWith('s3:') && endpoint !== undefined && !isSafeEndpoint(env[endpoint] ?? ''))
    faults.push(`${endpoint}: must be https, or on this machine`);
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    faults.push('NODE_TLS_REJECT_UNAUTHORIZED: must not be 0, which accepts every certificate');
  return faults.map((fault) => `${fault}; ALLOW_INSECURE=true allows it in a network that is trusted`);
}

/** What is no URL the SDK may still take for the name of a host. */
function isSafeEndpoint(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname);
}

/** Of `host:port`. */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':'));
}

/** Whether credentials for the mail server would cross a network without TLS, unless the server is made to use it. */
export function needsStartTls({ SMTP_URL, ALLOW_INSECURE }: Variables): boolean {
  return !ALLOW_INSECURE && isClear(SMTP_URL, 'smtp:') && new URL(SMTP_URL ?? '').username !== '';
}

function isClear(url: string | undefined, protocol: string): boolean {
  if (url === undefined) return false;
  const parsed = new URL(url);
  return parsed.protocol === protocol && !isLoopback(parsed.hostname);
}

function known(e: Variables): string[] {
  if (e.ALLOW_DEMO_PARTS || isLoopback(e.HOST)) return [];
  const secrets: Record<string, string[]> = {
    DATABASE_URL: [passwordIn(e.DATABASE_URL)],
    ENCRYPTION_SECRET: [e.ENCRYPTION_SECRET ?? ''],
    REGULATOR_PASSWORD: e.REGULATOR_URL === undefined ? [] : [e.REGULATOR_PASSWORD],
    SMTP_URL: [passwordIn(e.SMTP_URL)],
  };
  return Object.entries(secrets)
    .filter(([, values]) => values.some((value) => PUBLISHED.has(value) || PLACEHOLDER.test(value)))
    .map(
      ([name]) =>
        `${name}: the secret is one that the documentation shows, and HOST=${e.HOST} is open to others; set one of your own, or ALLOW_DEMO_PARTS=true to try things out`,
    );
}

function passwordIn(url: string | undefined): string {
  return url === undefined ? '' : new URL(url).password;
}

/** The embedded parts that would serve others: their secrets are known to everybody. */
export function embeddedOutside(config: {
  gateway: { host: string };
  allowDemoParts: boolean;
  embedded: Readonly<Record<string, boolean>>;
}): string[] {
  if (config.allowDemoParts || isLoopback(config.gateway.host)) return [];
  return Object.entries(config.embedded).flatMap(([variable, embedded]) => (embedded ? [variable] : []));
}
