/** Refuses secrets in clear text and published secrets outside of one machine (decision §safe-by-default). */
import type { ClientConfigProfile } from '@temporalio/envconfig';
import { isLoopback } from '../common/network.ts';
import { isSafe, parseDatabaseTls } from '../database/connection-url.ts';
import { auth } from './groups/auth.ts';
import { data } from './groups/data.ts';
import { gateway, quotas } from './groups/gateway.ts';
import type { Values } from './groups/index.ts';
import { notifying } from './groups/notifying.ts';
import { safety } from './groups/processes.ts';
import { regulator } from './groups/regulator.ts';
import { temporal } from './groups/temporal.ts';
import type { Part } from './programs.ts';
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

const { host: HOST, publicUrl: PUBLIC_URL } = gateway.variables;
const { name: ALLOW_INSECURE } = safety.variables.allowInsecure;
const { name: ALLOW_DEMO_PARTS } = safety.variables.allowDemoParts;

export interface Checked {
  values: Values;
  profile: ClientConfigProfile;
  /** The environment, for the variables of Node.js and of Amazon's SDK. */
  set: Readonly<Record<string, string>>;
  /** The parts that the process uses. Others are not checked. */
  parts: ReadonlySet<Part>;
}

/** One line per unsafe variable. Empty if everything is safe or explicitly allowed. */
export function unsafeVariables(checked: Checked): string[] {
  return [...inClearText(checked), ...published(checked), ...trialParts(checked)];
}

function inClearText(checked: Checked): string[] {
  if (checked.values.safety.allowInsecure) return [];
  return [...clearAddresses(checked), ...clearServers(checked)].map(
    (fault) => `${fault}; ${ALLOW_INSECURE}=true allows it in a trusted network`,
  );
}

function clearAddresses({ values, parts }: Checked): string[] {
  const addresses: [Part, Variable<string | undefined>, string | undefined][] = [
    ['auth', auth.variables.issuer, values.auth.issuer],
    ['auth', auth.variables.jwksUrl, values.auth.jwksUrl],
    ['auth', auth.variables.tokenUrl, values.auth.tokenUrl],
    ['regulator', regulator.variables.url, values.regulator.url],
  ];
  return addresses
    .filter(([part, , address]) => parts.has(part) && isClear(address, 'http:'))
    .map(([, { name }]) => `${name}: must be https, or on this machine`);
}

function clearServers({
  values: {
    data: { databaseUrl, storageUrl },
  },
  profile,
  set,
}: Checked): string[] {
  const faults: string[] = [];
  if (databaseUrl !== undefined && !isSafe(parseDatabaseTls(databaseUrl)))
    faults.push(`${data.variables.databaseUrl.name}: must have sslmode=verify-full, or be on this machine`);
  const { address } = profile;
  if (address !== undefined && !usesTls(profile) && !isLoopback(hostOf(address)))
    faults.push(
      `${temporal.variables.address.name}: must use TLS (TEMPORAL_TLS=true), or be on this machine`,
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

/** `HOST=0.0.0.0`: the setting by which other machines reach the service. Null if none does. */
function openBy({ gateway: { host, publicUrl } }: Values): string | null {
  if (!isLoopback(host)) return `${HOST.name}=${host}`;
  if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))
    return `${PUBLIC_URL.name}=${publicUrl}`;
  return null;
}

function published({ values, parts }: Checked): string[] {
  const open = openBy(values);
  if (values.safety.allowDemoParts || open === null) return [];
  const { url, password } = values.regulator;
  const secrets: [Part, Variable<unknown>, string[]][] = [
    ['database', data.variables.databaseUrl, [passwordIn(values.data.databaseUrl)]],
    ['encryption', data.variables.encryptionSecrets, values.data.encryptionSecrets ?? []],
    ['regulator', regulator.variables.password, url === undefined ? [] : [password]],
    ['mail', notifying.variables.smtpUrl, [passwordIn(values.notifying.smtpUrl)]],
  ];
  const isKnown = (value: string) => PUBLISHED.has(value) || PLACEHOLDER.test(value);
  return secrets
    .filter(([part, , found]) => parts.has(part) && found.some(isKnown))
    .map(
      ([, { name }]) =>
        `${name}: the secret is published in the documentation, and ${open} is open to other machines; set a secret of your own, or ${ALLOW_DEMO_PARTS}=true for a trial`,
    );
}

function passwordIn(url: string | undefined): string {
  return url === undefined ? '' : new URL(url).password;
}

/** Refuses embedded parts where other machines reach the service, because their secrets are published. */
function trialParts({ values, profile, parts }: Checked): string[] {
  const open = openBy(values);
  if (values.safety.allowDemoParts || open === null) return [];
  const addresses: [Part, Variable<unknown>, string | undefined][] = [
    ['database', data.variables.databaseUrl, values.data.databaseUrl],
    ['temporal', temporal.variables.address, profile.address],
    ['auth', auth.variables.issuer, values.auth.issuer],
    ['regulator', regulator.variables.url, values.regulator.url],
    ['mail', notifying.variables.smtpUrl, values.notifying.smtpUrl],
  ];
  const missing = addresses.flatMap(([part, { name }, address]) =>
    parts.has(part) && address === undefined ? [name] : [],
  );
  if (missing.length === 0) return [];
  return [
    `${open} is open to other machines, but embedded parts are for one machine only: set ${missing.join(', ')}, or ${ALLOW_DEMO_PARTS}=true for a trial`,
  ];
}

/**
 * To be called before a gateway starts: without a list of domains, each client could mail anybody.
 *
 * @throws InvalidConfiguration if other machines reach the gateway, and there is no list
 */
export function requireRecipientDomains(config: {
  gateway: { host: string };
  quotas: { recipientDomains: readonly string[] };
}): void {
  const { host } = config.gateway;
  if (config.quotas.recipientDomains.length > 0 || isLoopback(host)) return;
  throw new InvalidConfiguration([
    `${quotas.variables.recipientDomains.name}: must be set, because ${HOST.name}=${host} is open to other machines; list the domains to which clients may send summaries, separated by commas, or set * for any domain`,
  ]);
}
