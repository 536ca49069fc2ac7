/** A fake identity service: any key, any algorithm, any fault of its key server. It counts its requests. */
import { KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import { listenLocally } from './local-server.ts';

export const AUDIENCE = 'submissions-tool';

export type Claims = Record<string, unknown>;

export interface SigningKey {
  kid: string;
  algorithm: string;
  /** The public half, as the key server shows it. */
  jwk: JWK;
  privateKey: Keys['privateKey'];
  publicKey: Keys['publicKey'];
}

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface TokenIssuer {
  issuer: string;
  keySetUrl: string;
  /** The key of tokens without another key. */
  key: SigningKey;
  /** Keys in the key set; may be changed at any time. */
  keys: SigningKey[];
  /** Replaces members of the metadata. */
  metadata: Record<string, unknown>;
  /** Replaces the key set: an outage, a fault. Null for none. */
  fault: Answer | null;
  /** Requests for the key set, and for the metadata. */
  requests: { keySet: number; metadata: number };
  /** Ordinary claims of an access token, with changes; undefined leaves one out. */
  claims(changes?: Claims): Claims;
  sign(
    changes?: Claims,
    options?: { key?: SigningKey; header?: Partial<JWTHeaderParameters> },
  ): Promise<string>;
}

export async function createSigningKey(algorithm = 'RS256', kid = `key-${algorithm}`): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return {
    kid,
    algorithm,
    privateKey,
    publicKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' },
  };
}

export const base64url = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');

/** Signs any content with RS256: header and claims are objects, or text that is used unchanged. */
export function signAnything(key: SigningKey, header: Claims | string, claims: Claims | string): string {
  const [first, second] = [header, claims].map((part) =>
    base64url(typeof part === 'string' ? part : JSON.stringify(part)),
  );
  const signature = sign('sha256', Buffer.from(`${first}.${second}`), KeyObject.from(key.privateKey));
  return `${first}.${second}.${base64url(signature)}`;
}

/** @param signing its first key, or the algorithm of a new one */
export async function startTokenIssuer(signing: SigningKey | string = 'RS256'): Promise<TokenIssuer> {
  const key = typeof signing === 'string' ? await createSigningKey(signing) : signing;
  const server = createServer((request, response) => {
    const ofKeys = request.url === '/keys';
    tokens.requests[ofKeys ? 'keySet' : 'metadata'] += 1;
    if (tokens.fault) return tokens.fault(request, response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(ofKeys ? { keys: tokens.keys.map(({ jwk }) => jwk) } : tokens.metadata));
  });
  const issuer = `http://127.0.0.1:${await listenLocally(server)}`;
  const tokens: TokenIssuer = {
    issuer,
    keySetUrl: `${issuer}/keys`,
    key,
    keys: [key],
    metadata: { issuer, jwks_uri: `${issuer}/keys` },
    fault: null,
    requests: { keySet: 0, metadata: 0 },
    claims: (changes = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const permissions = Object.values(PERMISSIONS);
      const ordinary = { iss: issuer, aud: AUDIENCE, sub: 'client', client_id: 'client', permissions };
      return { ...ordinary, iat: now, exp: now + 900, ...changes };
    },
    sign: (changes = {}, { key: by = tokens.key, header = {} } = {}) => {
      const claims = Object.entries(tokens.claims(changes)).filter(([, value]) => value !== undefined);
      const ordinary = { alg: by.algorithm, kid: by.kid, typ: 'at+jwt' };
      return new SignJWT(Object.fromEntries(claims))
        .setProtectedHeader({ ...ordinary, ...header })
        .sign(by.privateKey);
    },
  };
  return tokens;
}
