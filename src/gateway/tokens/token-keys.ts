/**
 * The keys of the identity service (RFC 7517), with its outages and floods of unknown key ids kept apart
 * (decision §access-tokens-only): a set is fetched at most once a minute, keys that are known survive an outage, and the
 * caller learns whether a key does not exist or could not be looked up.
 */
import jwksRsa from 'jwks-rsa';
import pTimeout from 'p-timeout';
import { messageOf } from '../../domain/errors.ts';
import { fetchKeySet, type KeySource } from './key-set.ts';

/** The key could not be looked up: not the fault of the token. */
export class KeysUnavailable extends Error {}

/** The identity service has no such key. */
export class UnknownKey extends Error {}

export interface TokenKeys {
  /**
   * The public key (PEM) of a key id; without an id, the only one there is.
   *
   * @throws UnknownKey, KeysUnavailable
   */
  find(kid: string | undefined): Promise<string>;
}

export interface TokenKeysOptions {
  /** Milliseconds since 1970, as `Date.now`. */
  now?: () => number;
  /** For a fetch, metadata included. */
  fetchTimeoutMs?: number;
}

/** A set this fresh is not fetched again for a key that it lacks. */
const FRESH_MS = 60_000;
/** A set older than this is fetched again for the keys that it has: they may have been withdrawn. */
const RENEW_MS = 10 * 60_000;
/** For so long a renewal may keep a request whose key is known anyway. */
const RENEWAL_WAIT_MS = 1_000;
/** After a failed fetch the next one waits this long. */
const FAILURE_PAUSE_MS = 5_000;
/** Known keys outlive an outage this long. */
const OUTAGE_MS = 24 * 60 * 60_000;
const FETCH_TIMEOUT_MS = 5_000;

interface KeySet {
  /** Public keys (PEM) by id; those without one under undefined. */
  keys: ReadonlyMap<string | undefined, string>;
  at: number;
}

export function createTokenKeys(source: KeySource, options: TokenKeysOptions = {}): TokenKeys {
  const { now = Date.now, fetchTimeoutMs = FETCH_TIMEOUT_MS } = options;
  const renew = singly(() => load(source, fetchTimeoutMs), now);
  let latest: KeySet | undefined;

  async function renewed(): Promise<KeySet> {
    const at = now();
    latest = { keys: await renew(), at };
    return latest;
  }

  /** The latest set, renewed when it is due; or as it is while there is no other. */
  async function setWith(kid: string | undefined): Promise<KeySet> {
    const known = latest && lookUp(latest, kid) !== undefined ? latest : undefined;
    const age = latest ? now() - latest.at : Number.POSITIVE_INFINITY;
    if (latest && age < (known ? RENEW_MS : FRESH_MS)) return latest;
    const renewal = renewed();
    if (!known || age > OUTAGE_MS) return renewal;
    return pTimeout(
      renewal.catch(() => known),
      { milliseconds: RENEWAL_WAIT_MS, fallback: () => known },
    );
  }

  return {
    async find(kid) {
      const set = await setWith(kid).catch((error) => {
        const reason = `The keys of the identity service could not be looked up: ${messageOf(error)}`;
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

/** @throws also when the set holds no key that could have signed a token: then it is none of ours */
async function load(source: KeySource, timeoutMs: number): Promise<KeySet['keys']> {
  const client = jwksRsa({
    jwksUri: 'jwksUrl' in source ? source.jwksUrl : source.issuer,
    cache: false,
    // The library's type wants JSONWebKeys; what is none it skips.
    fetcher: (() => fetchKeySet(source, timeoutMs)) as unknown as NonNullable<jwksRsa.Options['fetcher']>,
  });
  const keys = await client.getSigningKeys();
  return new Map(keys.map((key) => [key.kid, key.getPublicKey()]));
}

/** One fetch at a time, and a pause after a failure, in which its error is given again. */
function singly<T>(fetchNow: () => Promise<T>, now: () => number): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  let failure: { error: unknown; at: number } | undefined;
  const fetchAndNote = async () => {
    try {
      const value = await fetchNow();
      failure = undefined;
      return value;
    } catch (error) {
      failure = { error, at: now() };
      throw error;
    } finally {
      underWay = undefined;
    }
  };
  return async () => {
    if (failure && now() - failure.at < FAILURE_PAUSE_MS) throw failure.error;
    underWay ??= fetchAndNote();
    return underWay;
  };
}
