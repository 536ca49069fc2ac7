/**
 * The keys of the identity service (RFC 7517), with its outages and floods of unknown key ids kept apart
 * (design §5): a set is fetched at most once a minute, keys that are known survive an outage, and the
 * caller learns whether a key does not exist or could not be looked up.
 */
import jwksRsa from 'jwks-rsa';
import { z } from 'zod';
import { messageOf } from '../domain/errors.ts';

/** The key could not be looked up: not the fault of the token. */
export class KeysUnavailable extends Error {}

/** The identity service has no such key. */
export class UnknownKey extends Error {}

export interface TokenKeys {
  /**
   * The public key (PEM) of a key id.
   *
   * @throws UnknownKey, KeysUnavailable
   */
  find(kid: string | undefined): Promise<string>;
}

/** A set this fresh is not fetched again for a key that it lacks. */
const FRESH_MS = 60_000;
/** After a failed fetch the next one waits this long. */
const FAILURE_PAUSE_MS = 5_000;
const CACHE_MS = 10 * 60_000;
const OUTAGE_MS = 24 * 60 * 60_000;
const FETCH_TIMEOUT_MS = 5_000;

const keySet = z.looseObject({ keys: z.array(z.looseObject({})) });
const metadata = z.looseObject({ jwks_uri: z.url() });

/** @param source the key set's URL, or the issuer whose metadata names it (OpenID Connect Discovery §4) */
export function createTokenKeys(source: { jwksUrl: string } | { issuer: string }): TokenKeys {
  const fetchSet = cachedKeySet(async () => {
    const url = 'jwksUrl' in source ? source.jwksUrl : await discover(source.issuer);
    return keySet.parse(await getJson(url));
  });
  const client = jwksRsa({
    jwksUri: 'jwksUrl' in source ? source.jwksUrl : source.issuer,
    cache: true,
    cacheMaxEntries: 50,
    cacheMaxAge: CACHE_MS,
    cacheMaxAgeFallback: OUTAGE_MS,
    // The library's type wants JSONWebKeys; what does not fit it skips.
    fetcher: fetchSet as unknown as NonNullable<jwksRsa.Options['fetcher']>,
  });
  return {
    async find(kid) {
      try {
        return (await client.getSigningKey(kid)).getPublicKey();
      } catch (error) {
        if (error instanceof jwksRsa.SigningKeyNotFoundError) throw new UnknownKey('its key is unknown');
        throw new KeysUnavailable(
          `The keys of the identity service could not be looked up: ${messageOf(error)}`,
          { cause: error },
        );
      }
    },
  };
}

/** One fetch at a time, none while the last set is fresh, a pause after a failure. */
function cachedKeySet<T>(load: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  let last: { set: T; at: number } | undefined;
  let failure: { error: unknown; at: number } | undefined;
  const fetchNow = async () => {
    try {
      last = { set: await load(), at: Date.now() };
      failure = undefined;
      return last.set;
    } catch (error) {
      failure = { error, at: Date.now() };
      throw error;
    } finally {
      underWay = undefined;
    }
  };
  return async () => {
    if (last && Date.now() - last.at < FRESH_MS) return last.set;
    if (failure && Date.now() - failure.at < FAILURE_PAUSE_MS) throw failure.error;
    underWay ??= fetchNow();
    return underWay;
  };
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  return metadata.parse(await getJson(url)).jwks_uri;
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    headers: { accept: 'application/json' },
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}
