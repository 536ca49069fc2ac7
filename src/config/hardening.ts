/** What is refused outside of one machine: secrets in clear text, and secrets that everybody knows (architecture §safe-by-default). */
import { isLoopback } from '../domain/loopback.ts';
import type { PayloadKeys } from './kinds.ts';

/** Of the variables, those that are looked at here. */
interface Variables {
  HOST: string;
  ALLOW_INSECURE_HTTP: boolean;
  ALLOW_DEMO_PARTS: boolean;
  DATABASE_URL?: string | undefined;
  ENCRYPTION_SECRET?: string | undefined;
  TEMPORAL_PAYLOAD_KEYS?: PayloadKeys | undefined;
  AUTH_ISSUER?: string | undefined;
  AUTH_JWKS_URL?: string | undefined;
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

/** One line per variable that must not be as it is; none where everything is safe, or was allowed explicitly. */
export function unsafeVariables(e: Variables): string[] {
  return [...inClearText(e), ...known(e)];
}

function inClearText(e: Variables): string[] {
  if (e.ALLOW_INSECURE_HTTP) return [];
  const names = ['AUTH_ISSUER', 'AUTH_JWKS_URL', 'REGULATOR_URL'] as const;
  return names
    .filter((name) => isClear(e[name], 'http:'))
    .map(
      (name) =>
        `${name}: must be https, or on this machine; ALLOW_INSECURE_HTTP=true allows http in a network that is trusted`,
    );
}

/** Whether credentials for the mail server would cross a network without TLS, unless the server is made to use it. */
export function needsStartTls({ SMTP_URL, ALLOW_INSECURE_HTTP }: Variables): boolean {
  return !ALLOW_INSECURE_HTTP && isClear(SMTP_URL, 'smtp:') && new URL(SMTP_URL ?? '').username !== '';
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
    TEMPORAL_PAYLOAD_KEYS: (e.TEMPORAL_PAYLOAD_KEYS ?? []).map(({ secret }) => secret),
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
