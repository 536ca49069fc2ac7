/**
 * The embedded identity service (interface §4.2): an OpenID provider that knows three machine clients.
 * A real one takes its place by AUTH_ISSUER; the gateway does not know the difference.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Middleware } from 'koa';
import Provider, { type Configuration } from 'oidc-provider';
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

export interface IdentityServiceOptions {
  issuer: string;
  /** The `aud` of its access tokens. */
  audience: string;
  clients: readonly MachineClient[];
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
    clients: clients.map(({ clientId, clientSecret }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
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

/** The signing key, kept in a file so that tokens outlive a restart. */
export async function loadSigningKey(path: string): Promise<JWK> {
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
