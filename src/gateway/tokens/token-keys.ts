/**
 * Cache of the identity service's keys (RFC 7517, decision §access-tokens-only). An unknown key causes at most one
 * fetch per minute. Known keys stay valid during an outage. The caller learns whether a key does not exist or could not
 * be looked up.
 */
import jwksRsa from 'jwks-rsa';
import pTimeout from 'p-timeout';
import { z } from 'zod';
import { messageOf, withoutSlash } from '../../common/text.ts';

/** The key could not be looked up. The token is not at fault. */
export class KeysUnavailable extends Error {}

/** The identity service has no such key. */
export class UnknownKey extends Error {}

export interface TokenKeys {
  /**
   * The public key (PEM) of a key id. Without an id, the key of a set that has only one.
   *
   * @throws UnknownKey, KeysUnavailable
   */
  find(kid: string | undefined): Promise<string>;
}

interface TokenKeysOptions {
  /** Milliseconds of any monotonic clock. */
  now?: () => number;
  /** Timeout of a fetch, metadata included. */
  fetchTimeoutMs?: number;
}

/** Minimum age of a set before an unknown key causes a new fetch. */
const FRESH_MS = 60_000;
/** Age after which a set is renewed for known keys too, because they may have been withdrawn. */
const RENEW_MS = 10 * 60_000;
/** Longest time that a request with a known key waits for a renewal. */
const RENEWAL_WAIT_MS = 1_000;
/** Backoff after a failed fetch. */
const FAILURE_PAUSE_MS = 5_000;
/** Longest time for which known keys stay valid during an outage. */
const OUTAGE_MS = 24 * 60 * 60_000;
const FETCH_TIMEOUT_MS = 5_000;

interface KeySet {
  /** Public keys (PEM) by id; a key without an id under undefined. */
  keys: ReadonlyMap<string | undefined, string>;
  at: number;
}

export function createTokenKeys(source: KeySource, options: TokenKeysOptions = {}): TokenKeys {
  const { now = () => performance.now(), fetchTimeoutMs = FETCH_TIMEOUT_MS } = options;
  let latest: KeySet | undefined;
  let underWay: Promise<KeySet> | undefined;
  let failure: { error: unknown; at: number } | undefined;

  /** One fetch at a time. During the backoff after a failure, it fails with that error. */
  async function renew(): Promise<KeySet> {
    if (failure && now() - failure.at < FAILURE_PAUSE_MS) throw failure.error;
    underWay ??= fetchSet();
    return underWay;
  }

  async function fetchSet(): Promise<KeySet> {
    const at = now();
    try {
      latest = { keys: await load(source, fetchTimeoutMs), at };
      failure = undefined;
      return latest;
    } catch (error) {
      failure = { error, at: now() };
      throw error;
    } finally {
      underWay = undefined;
    }
  }

  /** The latest set, renewed if it is due. If the renewal fails or is slow, a set with the key serves as it is. */
  async function setWith(kid: string | undefined): Promise<KeySet> {
    const known = latest && lookUp(latest, kid) !== undefined ? latest : undefined;
    const age = latest ? now() - latest.at : Number.POSITIVE_INFINITY;
    if (latest && age < (known ? RENEW_MS : FRESH_MS)) return latest;
    const renewal = renew();
    if (!known || age > OUTAGE_MS) return renewal;
    return pTimeout(
      renewal.catch(() => known),
      { milliseconds: RENEWAL_WAIT_MS, fallback: () => known },
    );
  }

  return {
    async find(kid) {
      const set = await setWith(kid).catch((error) => {
        const reason = `The keys of the identity service could not be fetched: ${messageOf(error)}`;
        throw new KeysUnavailable(reason, { cause: error });
      });
      const key = lookUp(set, kid);
      if (key === undefined) throw new UnknownKey('its key is unknown');
      return key;
    },
  };
}

function lookUp({ keys }: KeySet, kid: string | undefined): string | undefined {
  if (kid !== undefined) return keys.get(kid);
  return keys.size === 1 ? [...keys.values()][0] : undefined;
}

/** @throws also if the set holds no signing key: then it is not the set of our identity service */
async function load(source: KeySource, timeoutMs: number): Promise<KeySet['keys']> {
  const client = jwksRsa({
    jwksUri: 'jwksUrl' in source ? source.jwksUrl : source.issuer,
    cache: false,
    // The library's type requires JSONWebKeys, but the library skips other entries.
    fetcher: (() => fetchKeySet(source, timeoutMs)) as unknown as NonNullable<jwksRsa.Options['fetcher']>,
  });
  const keys = await client.getSigningKeys();
  return new Map(keys.map((key) => [key.kid, key.getPublicKey()]));
}

/** The URL of the key set, or the issuer whose metadata contains that URL. */
type KeySource = { jwksUrl: string } | { issuer: string };

/** Far above any real key set or metadata. */
const MAX_BYTES = 1024 * 1024;

const keySet = z.looseObject({ keys: z.array(z.looseObject({})) });
const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** @param timeoutMs for all requests together */
async function fetchKeySet(source: KeySource, timeoutMs: number): Promise<z.infer<typeof keySet>> {
  const signal = AbortSignal.timeout(timeoutMs);
  const url = 'jwksUrl' in source ? source.jwksUrl : await discover(source.issuer, signal);
  return parsed(keySet, url, await getJson(url, signal));
}

/** OpenID Connect Discovery §4. The metadata must name the same issuer (§4.3). */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${withoutSlash(issuer)}/.well-known/openid-configuration`;
  const found = parsed(metadata, url, await getJson(url, signal));
  if (found.issuer !== issuer) {
    throw new Error(`${url} names the issuer "${found.issuer}" instead of "${issuer}" (AUTH_ISSUER)`);
  }
  if (issuer.startsWith('https:') && !found.jwks_uri.startsWith('https:')) {
    throw new Error(`${url} names keys at "${found.jwks_uri}", which must be https like the issuer`);
  }
  return found.jwks_uri;
}

async function getJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new Error(
      `${url} answered with a redirect, which is not followed: configure the target of the redirect`,
    );
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new Error(`${url} did not answer with JSON`, { cause: error });
  }
}

function parsed<T>(schema: z.ZodType<T>, url: string, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(`${url} answered with an unexpected document`, { cause: result.error });
}
