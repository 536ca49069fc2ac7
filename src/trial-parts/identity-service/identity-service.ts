/**
 * The embedded identity service (interface §4.2): an OpenID provider with a few machine clients, and with people who
 * log in on the web page.
 * AUTH_ISSUER replaces it by a real one; the gateway treats both alike.
 */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Middleware } from 'koa';
import Provider, { type ClientMetadata, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { PERMISSIONS } from '../../contract/operations.ts';
import { apiDocs } from '../../http/api-docs.ts';
import { loginPages, loginUrl, showLogout } from './login-page.ts';
import { describeIdentityService, loginRoute } from './machine-api.ts';
import { createMemoryStorage } from './memory-storage.ts';
import { PEOPLE, UPLOADER } from './people.ts';

export interface MachineClient {
  clientId: string;
  clientSecret: string;
  permissions: readonly string[];
  /** IDs of the submitters whose products the client may import, for AUTH_SUBMITTERS_CLAIM=submitters. */
  submitters: readonly string[];
}

export const DEMO_CLIENT: MachineClient = {
  clientId: 'demo-client',
  clientSecret: 'demo-secret',
  permissions: Object.values(PERMISSIONS),
  // The submitter of the example package and of the packages of `npm run make-package`.
  submitters: ['99962'],
};

export const CLIENT_WITHOUT_PERMISSION: MachineClient = {
  clientId: 'no-permission',
  clientSecret: 'no-permission-secret',
  permissions: [],
  submitters: [],
};

/** A client of another company. It sees none of the demo client's products where AUTH_SUBMITTERS_CLAIM is set. */
export const OTHER_COMPANY: MachineClient = {
  clientId: 'other-company',
  clientSecret: 'other-company-secret',
  permissions: UPLOADER.permissions,
  submitters: ['11111'],
};

/** The demo client with a key in place of the secret (RFC 7523 §2.2). Keeps the public half of the key only. */
export function keyClient({ d, p, q, dp, dq, qi, ...publicKey }: JWK): KeyClient {
  const { permissions, submitters } = DEMO_CLIENT;
  return { clientId: 'demo-key', publicKey, permissions, submitters };
}

export type KeyClient = Omit<MachineClient, 'clientSecret'> & { publicKey: JWK };

interface IdentityServiceOptions {
  issuer: string;
  /** The `aud` of its access tokens. */
  audience: string;
  clients: readonly (MachineClient | KeyClient)[];
  signingKey: JWK;
  /**
   * The public client of the web page, and the page's addresses, which end with a slash. Their origins may fetch
   * tokens.
   */
  app: { clientId: string; urls: readonly string[] };
}

/** Resource indicators are URIs (RFC 8707); the audience in the token is the plain name. */
const RESOURCE = 'urn:package-import:gateway';
/** Lifetime of tokens, as in the interface's example. */
const TOKEN_S = 900;
/** Lifetime of a login. */
const DAY_S = 24 * 60 * 60;

export function createIdentityService(options: IdentityServiceOptions): Provider {
  const { issuer, audience, clients, signingKey, app } = options;
  const origins = app.urls.map((url) => new URL(url).origin);
  const personOf = (username: string | undefined) => PEOPLE.find((person) => person.username === username);
  const clientOf = (clientId: string | undefined) => clients.find((client) => client.clientId === clientId);
  const configuration: Configuration = {
    adapter: createMemoryStorage(),
    clients: [
      ...clients.map((client) => ({
        client_id: client.clientId,
        ...credentialsOf(client),
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      })),
      pageClient(app.clientId, app.urls),
    ],
    jwks: { keys: [signingKey] },
    routes: { token: '/oauth2/token', jwks: '/oauth2/jwks' },
    clientBasedCORS: (_ctx, origin) => origins.includes(origin),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (ctx, form) => showLogout(ctx, form, origins),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, _resource, client) => ({
          scope: (clientOf(client.clientId)?.permissions ?? Object.values(PERMISSIONS)).join(' '),
          audience,
          accessTokenTTL: TOKEN_S,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (_ctx, token) => {
      const { permissions = [], submitters = [] } =
        ('accountId' in token ? personOf(token.accountId) : clientOf(token.clientId)) ?? {};
      return { permissions: [...permissions], submitters: [...submitters] };
    },
    findAccount: (_ctx, username) =>
      personOf(username) && { accountId: username, claims: async () => ({ sub: username, name: username }) },
    interactions: { url: (_ctx, { uid }) => loginUrl(uid) },
    loadExistingGrant: grantAll,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    ttl: {
      ClientCredentials: TOKEN_S,
      AccessToken: TOKEN_S,
      IdToken: TOKEN_S,
      AuthorizationCode: 60,
      Interaction: 3600,
      Session: DAY_S,
      RefreshToken: DAY_S,
      Grant: DAY_S,
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.use(loginPages(provider, origins) as Middleware);
  provider.use(apiDocs(describeIdentityService(issuer), 'Identity service') as Middleware);
  provider.use(loginRoute(`${issuer}/oauth2/token`));
  return provider;
}

/**
 * A page cannot keep a secret. PKCE proves that the client that fetches the tokens started the login (RFC 9700 §2.1.1).
 */
function pageClient(clientId: string, urls: readonly string[]): ClientMetadata {
  return {
    client_id: clientId,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: urls.map((url) => `${url}callback`),
    post_logout_redirect_uris: [...urls],
  };
}

/** Skips the consent page: the web page belongs to the service. */
async function grantAll({ oidc: { provider, client, session } }: KoaContextWithOIDC) {
  const known = session?.grantIdFor(client?.clientId ?? '');
  if (known !== undefined) return provider.Grant.find(known);
  const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' });
  grant.addOIDCScope('openid');
  grant.addResourceScope(RESOURCE, Object.values(PERMISSIONS).join(' '));
  await grant.save();
  return grant;
}

function credentialsOf(client: MachineClient | KeyClient): Partial<ClientMetadata> {
  if ('publicKey' in client)
    return { jwks: { keys: [client.publicKey] }, token_endpoint_auth_method: 'private_key_jwt' };
  // The secret is accepted in the form (interface §4.2) and in the header.
  return { client_secret: client.clientSecret, token_endpoint_auth_method: 'client_secret_post' };
}

/**
 * A private key, stored in a file so that its signatures stay valid after a restart. A full disk may have left an empty
 * file.
 */
export async function loadPrivateKey(path: string): Promise<JWK> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as JWK;
  } catch (error) {
    const isDamaged = error instanceof SyntaxError;
    if (!isDamaged && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const key = { ...jwk, alg: 'RS256', use: 'sig', kid: await calculateJwkThumbprint(jwk) };
  await writeFile(path, JSON.stringify(key), { mode: 0o600 });
  return key;
}
