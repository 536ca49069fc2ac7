/** Authentication of a client at the identity service (RFC 6749 §2.3, RFC 7523 §2.2). */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import { type ClientAuth, ClientSecretBasic, ClientSecretPost, PrivateKeyJwt } from 'oauth4webapi';
import { type ClientCredentials, UnusableCredentials } from './client-credentials.ts';

/** @throws UnusableCredentials */
export async function clientAuthentication({
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
