/** Kinds of values that variables have, each parsed from text. */
import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { messageOf } from '../common/text.ts';
import { MAX_RECIPIENTS } from '../contract/limits.ts';
import { PRODUCT_CHECKS } from '../contract/product-checks.ts';
import { parseDatabaseTls } from '../database/connection-url.ts';
import { WORKER_ROLES } from '../domain/task-queues.ts';

export const text = z.string();
export const port = z.coerce.number().int().min(0).max(65_535);
const positive = z.coerce.number().positive();
/** At most a century: retention subtracts the days from today, and PostgreSQL has no dates before 4714 BC. */
export const days = positive.max(36_500);
export const integer = z.coerce.number().int().positive().max(1_000);
/** The trail itself keeps its people for 30 days: the trigger `audit_event_forgets_people`. */
export const auditDays = days.min(30, 'must be at least 30');
export const megabytes = positive.max(1024 ** 2).transform((value) => Math.floor(value * 1024 * 1024));

const orNull = (value: number) => (value === 0 ? null : value);
/** A number; 0 means no limit and becomes null. */
export const limit = z.coerce.number().nonnegative().transform(orNull);
/** A whole number; 0 means no limit and becomes null. */
export const count = z.coerce.number().int().nonnegative().max(1_000).transform(orNull);
/** A list with commas between. An entry may be empty. */
const entries = text.transform((value) => value.split(',').map((entry) => entry.trim()));
/** A list with commas between, without blank entries. */
const list = entries.transform((all) => all.filter((entry) => entry !== ''));

/** `company.example, other.example`: converted to lower case; a leading @ is removed. `*` is any domain. */
export const domains = list
  .transform((domains) => domains.map((domain) => domain.replace(/^@/, '').toLowerCase()))
  .refine(
    (list) => list.every((domain) => /^(?:\*|[a-z0-9-]+(?:\.[a-z0-9-]+)*)$/.test(domain)),
    'must be a list of domains, separated by commas, or * for any domain',
  );
/** `newest, older`: secrets of at least 16 characters, separated by commas. */
export const secrets = entries.refine(
  (list) => list.every((secret) => secret.length >= 16),
  'must have at least 16 characters, and so must each of several secrets with commas between',
);
/** PEM of an Ed25519 private key. The message does not repeat the value. */
export const signingKey = text.transform((value, context) => {
  try {
    const key = createPrivateKey(value.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The message below covers it.
  }
  context.addIssue({ code: 'custom', message: 'must be the PEM of an Ed25519 private key' });
  return z.NEVER;
});
/** `hooks.company.example, other.example:8443`: as in a URL, with a port unless it is 443. */
export const hosts = list
  .transform((hosts) => hosts.map((host) => host.toLowerCase()))
  .refine(
    (list) =>
      list.every((host) => URL.canParse(`https://${host}/`) && new URL(`https://${host}/`).host === host),
    'must be a list of hosts as in a URL, with a port unless it is 443, separated by commas',
  );
/** `client=a@company.example b@company.example, other=c@company.example`: recipients of a daily mail, by client. */
export const digests = list
  .transform((entries) =>
    entries.map((entry) => {
      const end = entry.lastIndexOf('=');
      return {
        clientId: entry.slice(0, Math.max(0, end)).trim(),
        addresses: entry
          .slice(end + 1)
          .split(/\s+/)
          .filter((address) => address !== ''),
      };
    }),
  )
  .refine(
    (list) =>
      list.every(
        ({ clientId, addresses }) =>
          clientId !== '' &&
          addresses.length > 0 &&
          addresses.length <= MAX_RECIPIENTS &&
          addresses.every((address) => z.email().safeParse(address).success),
      ) && new Set(list.map(({ clientId }) => clientId)).size === list.length,
    `must be a list of client=address, separated by commas, with each client once, and at most ${MAX_RECIPIENTS} addresses of a client, separated by spaces`,
  );
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1');
export const url = (...protocols: string[]) =>
  text.refine(
    (value) => protocols.includes(URL.parse(value)?.protocol ?? ''),
    `must be a URL (${protocols.join(', ')})`,
  );
/** A directory of this machine, or a bucket. */
export const storageUrl = url('file:', 's3:').refine(
  (value) => !/^file:\/\/[^/]/i.test(value) || URL.parse(value)?.hostname === '',
  'must be file:///directory, with three slashes, because a directory has no host',
);

/** Refuses unknown TLS parameters: an ignored one could leave a connection without TLS. */
export const databaseUrl = url('postgresql:', 'postgres:').superRefine((value, context) => {
  if (!URL.canParse(value)) return;
  try {
    parseDatabaseTls(value);
  } catch (error) {
    context.addIssue({ code: 'custom', message: messageOf(error) });
  }
});

/** Some of these names with commas between, or `all`. */
const namesOf = <Name extends string>(given: typeof entries | typeof list, all: readonly Name[]) =>
  given.transform((names) => (names.join() === 'all' ? [...all] : names)).pipe(z.array(z.enum(all)));
export const roles = namesOf(entries, WORKER_ROLES);
export const productChecks = namesOf(list, PRODUCT_CHECKS);
