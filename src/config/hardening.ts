/** Refuses secrets in clear text and published secrets outside of one machine (decision §safe-by-default). */
import type { ClientConfigProfile } from '@temporalio/envconfig';
import { isLoopback } from '../common/network.ts';
import { isSafe, parseDatabaseTls } from '../database/connection-url.ts';
import type { WorkerRole } from '../domain/task-queues.ts';
import { usesTls } from './temporal.ts';
import type { Values, VariableName } from './variables.ts';

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

interface Checked {
  values: Values;
  profile: ClientConfigProfile;
  /** The environment, for the variables of Node.js and of Amazon's SDK. */
  set: Readonly<Record<string, string>>;
  /** The parts that the process uses. Others are not checked. */
  parts: ReadonlySet<Part>;
}

/** One line per unsafe variable. Empty if everything is safe or explicitly allowed. */
export function unsafeVariables(checked: Checked): string[] {
  const { ALLOW_INSECURE, ALLOW_DEMO_PARTS } = checked.values;
  const open = openBy(checked.values);
  return [
    ...(ALLOW_INSECURE ? [] : inClearText(checked)),
    ...(open === null ? [] : anyRecipient(checked, open)),
    ...(ALLOW_DEMO_PARTS || open === null ? [] : [...published(checked, open), ...trialParts(checked, open)]),
  ];
}

function inClearText(checked: Checked): string[] {
  return [...clearAddresses(checked), ...clearServers(checked)].map(
    (fault) => `${fault}; ALLOW_INSECURE=true allows it in a trusted network`,
  );
}

function clearAddresses({ values, parts }: Checked): string[] {
  const addresses = [
    ['auth', 'AUTH_ISSUER'],
    ['auth', 'AUTH_JWKS_URL'],
    ['auth', 'AUTH_TOKEN_URL'],
    ['regulator', 'REGULATOR_URL'],
  ] as const;
  return addresses
    .filter(([part, name]) => parts.has(part) && isClear(values[name], 'http:'))
    .map(([, name]) => `${name}: must be https, or on this machine`);
}

function clearServers({ values: { DATABASE_URL, STORAGE_URL }, profile, set }: Checked): string[] {
  const faults: string[] = [];
  if (DATABASE_URL !== undefined && !isSafe(parseDatabaseTls(DATABASE_URL)))
    faults.push('DATABASE_URL: must have sslmode=verify-full, or be on this machine');
  const { address } = profile;
  if (address !== undefined && !usesTls(profile) && !isLoopback(hostOf(address)))
    faults.push('TEMPORAL_ADDRESS: must use TLS (TEMPORAL_TLS=true), or be on this machine');
  const endpoint = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find((name) => set[name]);
  if (STORAGE_URL?.startsWith('s3:') && endpoint !== undefined && !isSafeEndpoint(set[endpoint] ?? ''))
    faults.push(`${endpoint}: must be https, or on this machine`);
  if (set.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    faults.push('NODE_TLS_REJECT_UNAUTHORIZED: must not be 0, which accepts every certificate');
  return faults;
}

/** A value that is not a URL is unsafe: the SDK may accept it as a host name. */
function isSafeEndpoint(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'https:' || isLoopback(url.hostname));
}

/** The host of `host:port`. */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':'));
}

/** Whether the mailer must require STARTTLS: otherwise credentials could cross a network without TLS. */
export function needsStartTls({ SMTP_URL, ALLOW_INSECURE }: Values): boolean {
  return !ALLOW_INSECURE && isClear(SMTP_URL, 'smtp:') && new URL(SMTP_URL ?? '').username !== '';
}

function isClear(url: string | undefined, protocol: string): boolean {
  if (url === undefined) return false;
  const parsed = new URL(url);
  return parsed.protocol === protocol && !isLoopback(parsed.hostname);
}

/** `HOST=0.0.0.0`: the setting by which other machines reach the service. Null if none does. */
function openBy({ HOST, PUBLIC_URL }: Values): string | null {
  if (!isLoopback(HOST)) return `HOST=${HOST}`;
  if (PUBLIC_URL !== undefined && !isLoopback(new URL(PUBLIC_URL).hostname))
    return `PUBLIC_URL=${PUBLIC_URL}`;
  return null;
}

function published({ values, parts }: Checked, open: string): string[] {
  const { REGULATOR_URL, REGULATOR_PASSWORD } = values;
  const secrets: [Part, VariableName, string[]][] = [
    ['database', 'DATABASE_URL', [passwordIn(values.DATABASE_URL)]],
    ['encryption', 'ENCRYPTION_SECRET', values.ENCRYPTION_SECRET ?? []],
    ['regulator', 'REGULATOR_PASSWORD', REGULATOR_URL === undefined ? [] : [REGULATOR_PASSWORD]],
    ['mail', 'SMTP_URL', [passwordIn(values.SMTP_URL)]],
  ];
  const isKnown = (value: string) => PUBLISHED.has(value) || PLACEHOLDER.test(value);
  return secrets
    .filter(([part, , found]) => parts.has(part) && found.some(isKnown))
    .map(
      ([, name]) =>
        `${name}: the secret is published in the documentation, and ${open} is open to other machines; set a secret of your own, or ALLOW_DEMO_PARTS=true for a trial`,
    );
}

function passwordIn(url = ''): string {
  return URL.parse(url)?.password ?? '';
}

/** Refuses embedded parts where other machines reach the service, because their secrets are published. */
function trialParts({ values, profile, parts }: Checked, open: string): string[] {
  const given = { ...values, TEMPORAL_ADDRESS: profile.address };
  const missing = Object.entries(ADDRESSES).filter(([part, name]) => parts.has(part as Part) && !given[name]);
  if (missing.length === 0) return [];
  const names = missing.map(([, name]) => name).join(', ');
  return [
    `${open} is open to other machines, but embedded parts are for one machine only: set ${names}, or ALLOW_DEMO_PARTS=true for a trial`,
  ];
}

/** Refuses a gateway without a list of domains where other machines reach it: each client could mail anybody. */
function anyRecipient({ values, parts }: Checked, open: string): string[] {
  // Only gateways read tokens.
  if (!parts.has('auth') || values.MAIL_RECIPIENT_DOMAINS.length > 0) return [];
  return [
    `MAIL_RECIPIENT_DOMAINS: must be set, because ${open} is open to other machines; list the domains to which clients may send summaries, separated by commas, or set * for any domain`,
  ];
}

/**
 * The parts that programs use. The configuration of a program is checked for its parts, so a process needs no secrets
 * of the others. `encryption`: the regulator session and the secrets of webhooks, encrypted in the database.
 */
const PARTS = ['database', 'temporal', 'auth', 'regulator', 'encryption', 'mail'] as const;

type Part = (typeof PARTS)[number];

/** The address of each part. A part without one is embedded. */
const ADDRESSES = {
  database: 'DATABASE_URL',
  temporal: 'TEMPORAL_ADDRESS',
  auth: 'AUTH_ISSUER',
  regulator: 'REGULATOR_URL',
  mail: 'SMTP_URL',
} as const;

/** `whole service` is `npm start`. A trial part is the simulator or the identity service as a process. */
export type Program = 'whole service' | 'gateway' | 'worker' | 'migration' | 'trial part';

/** `package-reading` gets only what every worker needs, because it parses untrusted files. */
const OF_ROLE: Record<WorkerRole, readonly Part[]> = {
  'package-import': ['database', 'temporal', 'regulator', 'encryption', 'mail'],
  'package-reading': ['database', 'temporal'],
  'regulator-insert': ['database', 'temporal', 'regulator', 'encryption'],
};

const OF_PROGRAM: Record<Exclude<Program, 'worker'>, readonly Part[]> = {
  'whole service': PARTS,
  gateway: ['database', 'temporal', 'auth', 'regulator', 'encryption'],
  migration: ['database'],
  'trial part': [],
};

/** @param roles of a worker */
export function partsOf(program: Program, roles: readonly WorkerRole[]): ReadonlySet<Part> {
  return new Set(program === 'worker' ? roles.flatMap((role) => OF_ROLE[role]) : OF_PROGRAM[program]);
}
