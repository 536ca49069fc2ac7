/** Access tokens by client credentials (interface §4.2), cached until shortly before they expire. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  PrivateKeyJwt,
  processClientCredentialsResponse,
} from 'oauth4webapi';
import * as z from 'zod';
import { retryAfterSeconds } from '../../src/common/network.ts';
import { createSingleFlightCache } from '../../src/common/single-flight-cache.ts';
import { ApiError, reach } from './errors.ts';
import { type ClientCredentials, type TokenOptions, UnusableCredentials } from './options.ts';

interface AccessTokens {
  /** @throws ApiError, Unreachable, UnusableCredentials */
  current(): Promise<string>;
  /** Drops a refused token: the next call fetches a new one. */
  invalidate(): void;
}

/** RFC 6749 §5.2. */
const tokenError = z.object({ error: z.string(), error_description: z.string().optional() });

/** A new token is fetched this long before the old one expires. */
const MARGIN_MS = 30_000;

export function createAccessTokens(options: TokenOptions, signal?: AbortSignal): AccessTokens {
  const { tokenUrl, clientId, scope, audience, issuer = tokenUrl } = options;
  const server = { issuer, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  let authentication: ClientAuth | undefined;

  async function fetchToken() {
    authentication ??= await clientAuthentication(options);
    const parameters = { ...(scope !== undefined && { scope }), ...(audience !== undefined && { audience }) };
    const response = await clientCredentialsGrantRequest(server, client, authentication, parameters, {
      // The caller decides which addresses may be plain http. Most of them are on the same machine.
      [allowInsecureRequests]: true,
      [customFetch]: (url, request) => reach('identity service', url, request as RequestInit, signal),
    });
    if (!response.ok) throw await refused(response);
    return processClientCredentialsResponse(server, client, response).catch(() => {
      throw new ApiError('identity service', response.status, `${tokenUrl} answered without an access token`);
    });
  }

  async function refused(response: Response): Promise<ApiError> {
    const { data } = tokenError.safeParse(await response.json().catch(() => null));
    const reason = data ? ` (${[data.error, data.error_description].filter(Boolean).join(': ')})` : '';
    return new ApiError(
      'identity service',
      response.status,
      `No access token for client "${clientId}": ${tokenUrl} answered ${response.status}${reason}.`,
      { retryAfterSeconds: retryAfterSeconds(response.headers) },
    );
  }

  const { get, invalidate } = createSingleFlightCache(
    fetchToken,
    ({ expires_in = 0 }) => expires_in * 1000 - MARGIN_MS,
  );
  return { current: async () => (await get()).access_token, invalidate };
}

/** @throws UnusableCredentials */
async function clientAuthentication({
  clientId,
  clientSecret,
  privateKey,
  authMethod = privateKey !== undefined && clientSecret === undefined
    ? 'private_key_jwt'
    : 'client_secret_post',
}: ClientCredentials): Promise<ClientAuth> {
  if (authMethod === 'private_key_jwt') {
    if (privateKey === undefined)
      throw new UnusableCredentials(`There is no private key for client "${clientId}".`);
    return PrivateKeyJwt(await signingKey(privateKey));
  }
  if (clientSecret === undefined || clientSecret === '')
    throw new UnusableCredentials(`There is no secret for client "${clientId}".`);
  return authMethod === 'client_secret_basic'
    ? ClientSecretBasic(clientSecret)
    : ClientSecretPost(clientSecret);
}

async function signingKey(text: string): Promise<{ key: CryptoKey; kid?: string }> {
  try {
    const given: JWK | null = text.trimStart().startsWith('{') ? JSON.parse(text) : null;
    const key = createPrivateKey(given ? { key: given, format: 'jwk' } : text);
    const alg = given?.alg ?? algorithmOf(key);
    const imported = (await importJWK({ ...key.export({ format: 'jwk' }), alg }, alg)) as CryptoKey;
    return { key: imported, ...(given?.kid !== undefined && { kid: given.kid }) };
  } catch (error) {
    // The parsers' messages could contain parts of the key.
    const reason = error instanceof UnusableCredentials ? error.message : 'it is not readable';
    throw new UnusableCredentials(
      `The private key cannot be used: ${reason}. It must be a PEM file (PKCS #8, not encrypted) or a JSON Web Key.`,
    );
  }
}

/** The algorithms that identity services accept by default (RFC 7518 §3.1, RFC 8037). */
function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  const curves: Readonly<Record<string, string>> = {
    prime256v1: 'ES256',
    secp384r1: 'ES384',
    secp521r1: 'ES512',
  };
  const alg = curves[asymmetricKeyDetails?.namedCurve ?? ''];
  if (alg === undefined) throw new UnusableCredentials(`keys of type ${asymmetricKeyType} are not supported`);
  return alg;
}
