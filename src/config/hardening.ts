/** Refuses secrets in clear text and published secrets outside of one machine (decision §safe-by-default). */
import type { ClientConfigProfile } from '@temporalio/envconfig';
import { isLoopback } from '../common/loopback.ts';
import { isSafe, parseDatabaseTls } from '../database/connection-url.ts';
import { auth } from './groups/auth.ts';
import { data } from './groups/data.ts';
import { gateway } from './groups/gateway.ts';
import type { Values } from './groups/index.ts';
import { notifying } from './groups/notifying.ts';
import { safety } from './groups/processes.ts';
import { regulator } from './groups/regulator.ts';
import { temporal } from './groups/temporal.ts';
import { usesTls } from './temporal.ts';
import { InvalidConfiguration, type Variable } from './variable.ts';

/** Secrets that this repository publishes: defaults, docker-compose.yml, the examples of deploy/kubernetes. */
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

const { name: HOST } = gateway.variables.host;
const { name: ALLOW_INSECURE } = safety.variables.allowInsecure;
const { name: ALLOW_DEMO_PARTS } = safety.variables.allowDemoParts;

/**
 * One line per unsafe variable. Empty if everything is safe or explicitly allowed.
 *
 * @param set the environment, for the variables of Node.js and of Amazon's SDK
 */
export function unsafeVariables(
  values: Values,
  profile: ClientConfigProfile,
  set: Readonly<Record<string, string>>,
): string[] {
  return [...inClearText(values, profile, set), ...known(values)];
}

function inClearText(
  values: Values,
  profile: ClientConfigProfile,
  set: Readonly<Record<string, string>>,
): string[] {
  if (values.safety.allowInsecure) return [];
  return [...clearAddresses(values), ...clearServers(values, profile, set)].map(
    (fault) => `${fault}; ${ALLOW_INSECURE}=true allows it in a network that is trusted`,
  );
}

function clearAddresses(values: Values): string[] {
  const addresses: [Variable<string | undefined>, string | undefined][] = [
    [auth.variables.issuer, values.auth.issuer],
    [auth.variables.jwksUrl, values.auth.jwksUrl],
    [auth.variables.tokenUrl, values.auth.tokenUrl],
    [regulator.variables.url, values.regulator.url],
  ];
  return addresses
    .filter(([, address]) => isClear(address, 'http:'))
    .map(([{ name }]) => `${name}: must be https, or on this machine`);
}

function clearServers(
  { data: { databaseUrl, storageUrl } }: Values,
  profile: ClientConfigProfile,
  set: Readonly<Record<string, string>>,
): string[] {
  const faults: string[] = [];
  if (databaseUrl !== undefined && !isSafe(parseDatabaseTls(databaseUrl)))
    faults.push(`${data.variables.databaseUrl.name}: must have sslmode=verify-full, or be on this machine`);
  const { address } = profile;
  if (address !== undefined && !usesTls(profile) && !isLoopback(hostOf(address)))
    faults.push(
      `${temporal.variables.address.name}: must be reached with TLS (TEMPORAL_TLS=true), or be on this machine`,
    );
  const endpoint = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find((name) => set[name]);
  if (storageUrl?.startsWith('s3:') && endpoint !== undefined && !isSafeEndpoint(set[endpoint] ?? ''))
    faults.push(`${endpoint}: must be https, or on this machine`);
  if (set.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    faults.push('NODE_TLS_REJECT_UNAUTHORIZED: must not be 0, which accepts every certificate');
  return faults;
}

/** A value that is not a URL is unsafe: the SDK may accept it as a host name. */
function isSafeEndpoint(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname);
}

/** The host of `host:port`. */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':'));
}

/** Whether the mailer must require STARTTLS: otherwise credentials could cross a network without TLS. */
export function needsStartTls({ notifying: { smtpUrl }, safety }: Values): boolean {
  return !safety.allowInsecure && isClear(smtpUrl, 'smtp:') && new URL(smtpUrl ?? '').username !== '';
}

function isClear(url: string | undefined, protocol: string): boolean {
  if (url === undefined) return false;
  const parsed = new URL(url);
  return parsed.protocol === protocol && !isLoopback(parsed.hostname);
}

function known(values: Values): string[] {
  const { host } = values.gateway;
  if (values.safety.allowDemoParts || isLoopback(host)) return [];
  const secrets: [Variable<unknown>, string[]][] = [
    [data.variables.databaseUrl, [passwordIn(values.data.databaseUrl)]],
    [data.variables.encryptionSecret, [values.data.encryptionSecret ?? '']],
    [regulator.variables.password, values.regulator.url === undefined ? [] : [values.regulator.password]],
    [notifying.variables.smtpUrl, [passwordIn(values.notifying.smtpUrl)]],
  ];
  return secrets
    .filter(([, found]) => found.some((value) => PUBLISHED.has(value) || PLACEHOLDER.test(value)))
    .map(
      ([{ name }]) =>
        `${name}: the secret is one that the documentation shows, and ${HOST}=${host} is open to others; set one of your own, or ${ALLOW_DEMO_PARTS}=true to try things out`,
    );
}

interface Part {
  embedded: boolean;
}

function passwordIn(url: string | undefined): string {
  return url === undefined ? '' : new URL(url).password;
}

/**
 * To be called before embedded parts are started, because their secrets are published.
 *
 * @throws InvalidConfiguration if other machines could reach the service
 */
export function refuseEmbeddedOutside(config: {
  gateway: { host: string };
  allowDemoParts: boolean;
  database: Part;
  temporal: Part;
  auth: Part;
  regulator: Part;
  mail: Part;
}): void {
  const { host } = config.gateway;
  if (config.allowDemoParts || isLoopback(host)) return;
  const parts: [Variable<unknown>, boolean][] = [
    [data.variables.databaseUrl, config.database.embedded],
    [temporal.variables.address, config.temporal.embedded],
    [auth.variables.issuer, config.auth.embedded],
    [regulator.variables.url, config.regulator.embedded],
    [notifying.variables.smtpUrl, config.mail.embedded],
  ];
  const missing = parts.flatMap(([{ name }, embedded]) => (embedded ? [name] : []));
  if (missing.length === 0) return;
  throw new InvalidConfiguration([
    `${HOST}=${host} is open to others, and embedded parts are for one machine only: set ${missing.join(', ')}, or ${ALLOW_DEMO_PARTS}=true to try things out.`,
  ]);
}
