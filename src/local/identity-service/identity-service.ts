/**
 * The embedded identity service (interface §4.2): an OpenID provider that knows a few machine clients.
 * A real one takes its place by AUTH_ISSUER; the gateway does not know the difference.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Middleware } from 'koa';
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider';
import { PERMISSIONS } from '../../domain/permissions.ts';
import { apiDocs } from '../../http/api-docs.ts';
import { describeIdentityService } from './api-description.ts';
import { loginRoute } from './login.ts';
import { NoStorage } from './no-storage.ts';

export interface MachineClient {
  clientId: string;
  clientSecret: string;
  permissions: readonly string[];
  /** IDs of the submitters whose products it may import, for AUTH_SUBMITTERS_CLAIM=submitters. */
  submitters: readonly string[];
}

export const DEMO_CLIENT: MachineClient = {
  clientId: 'demo-client',
  clientSecret: 'demo-secret',
  permissions: Object.values(PERMISSIONS),
  // The one of the example package, and of what `npm run make-package` makes.
  submitters: ['99962'],
};

export const CLIENT_WITHOUT_PERMISSION: MachineClient = {
  clientId: 'no-permission',
  clientSecret: 'no-permission-secret',
  permissions: [],
  submitters: [],
};

/** Of another company: sees nothing of the demo client's products where AUTH_SUBMITTERS_CLAIM is set. */
export const OTHER_COMPANY: MachineClient = {
  clientId: 'other-company',
  clientSecret: 'other-company-secret',
  permissions: Object.values(PERMISSIONS).filter(
    (one) => one !== PERMISSIONS.operate && one !== PERMISSIONS.manageSession,
  ),
  submitters: ['11111'],
};

/** The demo client with a key in place of the secret (RFC 7523 §2.2), which is made when the service is started for the first time. */
export function keyClient(publicKey: JWK): KeyClient {
  const { permissions, submitters } = DEMO_CLIENT;
  return { clientId: 'demo-key', publicKey, permissions, submitters };
}

export type KeyClient = Omit<MachineClient, 'clientSecret'> & { publicKey: JWK };

export interface IdentityServiceOptions {
  issuer: string;
  /** The `aud` of its access tokens. */
  audience: string;
  clients: readonly (MachineClient | KeyClient)[];
  signingKey: JWK;
  /** Origins of pages that may fetch tokens: the API description of the gateway. */
  origins?: readonly string[];
  /** Lifetime of access tokens; 900 s as in the interface's example. */
  tokenSeconds?: number;
}

/** Resource indicators are URIs (RFC 8707); the audience in the token is the plain name. */
const RESOURCE = 'urn:package-import:gateway';

export function createIdentityService(options: IdentityServiceOptions): Provider {
  const { issuer, audience, clients, signingKey, origins = [], tokenSeconds = 900 } = options;
  const clientOf = (clientId: string | undefined) => clients.find((client) => client.clientId === clientId);
  const configuration: Configuration = {
    adapter: NoStorage,
    clients: clients.map((client) => ({
      client_id: client.clientId,
      ...credentialsOf(client),
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    jwks: { keys: [signingKey] },
    routes: { token: '/oauth2/token', jwks: '/oauth2/jwks' },
    clientBasedCORS: (_ctx, origin) => origins.includes(origin),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, _resource, client) => ({
          scope: clientOf(client.clientId)?.permissions.join(' ') ?? '',
          audience,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (_ctx, token) => {
      const { permissions = [], submitters = [] } = clientOf(token.clientId) ?? {};
      return { permissions: [...permissions], submitters: [...submitters] };
    },
    ttl: { ClientCredentials: tokenSeconds },
  };
  const provider = new Provider(issuer, configuration);
  provider.use(apiDocs(describeIdentityService(issuer), 'Identity service') as Middleware);
  provider.use(loginRoute(`${issuer}/oauth2/token`));
  return provider;
}

function credentialsOf(client: MachineClient | KeyClient): Partial<ClientMetadata> {
  if ('publicKey' in client)
    return { jwks: { keys: [client.publicKey] }, token_endpoint_auth_method: 'private_key_jwt' };
  // In the form (interface §4.2) or in the header: the provider takes both.
  return { client_secret: client.clientSecret, token_endpoint_auth_method: 'client_secret_post' };
}

/** A private key, kept in a file so that what is signed with it outlives a restart. */
export async function loadPrivateKey(path: string): Promise<JWK> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as JWK;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const key = { ...jwk, alg: 'RS256', use: 'sig', kid: await calculateJwkThumbprint(jwk) };
  await writeFile(path, JSON.stringify(key), { mode: 0o600 });
  return key;
}

/** The half of a key that others may know. */
export function publicHalf({ kty, n, e, alg, kid, use }: JWK): JWK {
  return Object.fromEntries(Object.entries({ kty, n, e, alg, kid, use }).filter(([, value]) => value)) as JWK;
}
