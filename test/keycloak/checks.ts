/** Checks between the gateway and a real Keycloak. */
import { decodeJwt, decodeProtectedHeader } from 'jose';
import {
  CLIENT_WITHOUT_PERMISSION,
  DEMO_CLIENT,
  OTHER_COMPANY,
} from '../../src/trial-parts/identity-service/identity-service.ts';
import type { Checks } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import { say } from '../support/script.ts';
import { type Keycloak, TRIAL_PASSWORD } from './keycloak.ts';

interface Setting {
  keycloak: Keycloak;
  gatewayUrl: string;
  zip: Uint8Array;
}

/** A set of keys counts as fresh for a minute; a token of a newer key is refused for so long. */
const ROTATION_MS = 90_000;

export async function runChecks(setting: Setting, { equals: check }: Checks): Promise<void> {
  const { keycloak, gatewayUrl, zip } = setting;
  const tokenOf = async ({ clientId }: { clientId: string }) => {
    const credentials = { client_id: clientId, client_secret: TRIAL_PASSWORD };
    return (await keycloak.token({ grant_type: 'client_credentials', ...credentials })).access_token ?? '';
  };
  const get = async (token: string, path = '/regulator/package-imports') => {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(gatewayUrl + path, { headers });
    const { message } = (await answer.json()) as { message: string };
    return { status: answer.status, message };
  };
  const statusOf = async (token: string) => (await get(token)).status;
  const upload = async (token: string) => {
    const form = new FormData();
    form.set('file', new Blob([zip.slice()]), 'package.zip');
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${gatewayUrl}/regulator/package-import`, {
      method: 'POST',
      headers,
      body: form,
    });
    const { message } = (await answer.json()) as { message: string };
    return `${answer.status} ${message}`;
  };

  say('\nClients of the realm');
  const token = await tokenOf(DEMO_CLIENT);
  await check(
    'Keycloak marks access tokens by a claim, not by their header',
    async () => [decodeProtectedHeader(token).typ, decodeJwt(token).typ],
    ['JWT', 'Bearer'],
  );
  await check(
    'the demo client uploads a package',
    // Some files of the example are faulty on purpose.
    async () => (await upload(token)).slice(0, 3),
    '200',
  );
  await check(
    'the client without permissions is refused',
    async () => (await upload(await tokenOf(CLIENT_WITHOUT_PERMISSION))).slice(0, 3),
    '403',
  );
  await check(
    'the clients name the submitters that they speak for',
    async () => [decodeJwt(token).submitters, decodeJwt(await tokenOf(OTHER_COMPANY)).submitters],
    [DEMO_CLIENT.submitters, OTHER_COMPANY.submitters],
  );
  await check('no token', () => statusOf(''), 401);
  await check('a tampered token', () => statusOf(`${token.slice(0, -8)}AAAAAAAA`), 401);

  say('\nThe other tokens of Keycloak, with our audience and our permissions in them');
  const person = await tokensOfPerson(keycloak);
  await check('the access token of a person is one', () => statusOf(person.access_token ?? ''), 200);
  const { aud, permissions, typ } = decodeJwt(person.id_token ?? '');
  await check(
    'its ID token has them',
    async () => [[aud].flat().includes('submissions-tool'), Array.isArray(permissions), typ],
    [true, true, 'ID'],
  );
  const notAccess = { status: 401, message: 'The access token is invalid: it is not an access token.' };
  await check('its ID token is refused for what it is', () => get(person.id_token ?? ''), notAccess);
  await check('its refresh token is refused', () => statusOf(person.refresh_token ?? ''), 401);
  await check(
    'a token of another realm is refused',
    async () => statusOf(await tokenOfMaster(keycloak)),
    401,
  );

  say('\nKey rotation (takes a minute)');
  for (const [algorithm, provider] of PROVIDERS) await addKey(keycloak, algorithm, provider);
  const rotated = await tokenOf(DEMO_CLIENT);
  await check(
    'Keycloak signs by another key',
    async () => decodeProtectedHeader(rotated).kid !== decodeProtectedHeader(token).kid,
    true,
  );
  await check(
    'it is accepted without a restart',
    () => eventually(async () => (await statusOf(rotated)) === 200, ROTATION_MS),
    true,
  );
  await check('tokens of the former key stay valid', () => statusOf(token), 200);
  for (const [algorithm] of PROVIDERS) {
    await keycloak.admin('PUT', '', { defaultSignatureAlgorithm: algorithm });
    const signed = await tokenOf(DEMO_CLIENT);
    await check(`${algorithm}`, async () => [decodeProtectedHeader(signed).alg, await statusOf(signed)], [
      algorithm,
      200,
    ]);
  }

  say('\nAn outage');
  await keycloak.stop();
  await check('tokens of known keys stay valid', () => statusOf(rotated), 200);
  await check('an upload too', async () => (await upload(rotated)).slice(0, 3), '200');
}

/** Algorithms, with the component of Keycloak that has keys for them. */
const PROVIDERS = [
  ['RS256', 'rsa-generated'],
  ['PS256', 'rsa-generated'],
  ['ES256', 'ecdsa-generated'],
  ['EdDSA', 'eddsa-generated'],
] as const;

/** A key that is preferred to those that the realm has. */
async function addKey({ admin }: Keycloak, algorithm: string, providerId: string): Promise<void> {
  const realm = (await admin('GET', '')) as { id: string };
  await admin('POST', '/components', {
    name: `test-${algorithm}`,
    providerId,
    providerType: 'org.keycloak.keys.KeyProvider',
    parentId: realm.id,
    config: {
      priority: ['500'],
      ...(providerId === 'rsa-generated' && { algorithm: [algorithm] }),
      ...(providerId === 'ecdsa-generated' && { ecdsaEllipticCurveKey: ['P-256'] }),
    },
  });
}

const PERSON = { username: 'person', password: 'a password of the test' };

/** Logs a person in whose tokens of every kind name our audience and hold our permissions. */
async function tokensOfPerson({ admin, token }: Keycloak): Promise<Record<string, string>> {
  const mapper = (name: string, protocolMapper: string, config: Record<string, string>) => ({
    name,
    protocol: 'openid-connect',
    protocolMapper,
    config: { 'access.token.claim': 'true', 'id.token.claim': 'true', ...config },
  });
  await admin('POST', '/clients', {
    clientId: 'website',
    publicClient: true,
    directAccessGrantsEnabled: true,
    defaultClientScopes: ['basic'],
    fullScopeAllowed: true,
    protocolMappers: [
      mapper('audience', 'oidc-audience-mapper', { 'included.client.audience': 'submissions-tool' }),
      mapper('permissions', 'oidc-usermodel-client-role-mapper', {
        'usermodel.clientRoleMapping.clientId': 'submissions-tool',
        'claim.name': 'permissions',
        'jsonType.label': 'String',
        multivalued: 'true',
      }),
    ],
  });
  await admin('POST', '/users', {
    username: PERSON.username,
    enabled: true,
    email: 'person@company.example',
    firstName: 'A',
    lastName: 'Person',
    credentials: [{ type: 'password', value: PERSON.password, temporary: false }],
  });
  const [user] = (await admin('GET', `/users?username=${PERSON.username}`)) as { id: string }[];
  const [client] = (await admin('GET', '/clients?clientId=submissions-tool')) as { id: string }[];
  const roles = await admin('GET', `/clients/${client?.id}/roles`);
  await admin('POST', `/users/${user?.id}/role-mappings/clients/${client?.id}`, roles);
  return token({ grant_type: 'password', client_id: 'website', scope: 'openid', ...PERSON });
}

/** Signed by the same Keycloak, and not for us. */
async function tokenOfMaster({ issuer }: Keycloak): Promise<string> {
  const url = issuer.replace(/[^/]+$/, 'master/protocol/openid-connect/token');
  const form = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password: 'admin' };
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  return ((await answer.json()) as { access_token: string }).access_token;
}
