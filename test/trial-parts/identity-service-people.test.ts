import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { expect, it } from 'vitest';
import { listen } from '../../src/http/server.ts';
import {
  createIdentityService,
  DEMO_CLIENT,
  loadPrivateKey,
} from '../../src/trial-parts/identity-service/identity-service.ts';
import { OPERATOR, type Person, UPLOADER } from '../../src/trial-parts/identity-service/people.ts';
import { atEnd } from '../support/cleanup.ts';
import { freePorts } from '../support/free-ports.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const PAGE = 'http://127.0.0.1:1/app/';
const ORIGIN = new URL(PAGE).origin;
const CLIENT: oauth.Client = { client_id: 'package-import-app' };
const LOOSE = { [oauth.allowInsecureRequests]: true };

const directory = await temporaryDirectory();
const [port = 0] = await freePorts(1);
const issuer = `http://127.0.0.1:${port}`;
const app = createIdentityService({
  issuer,
  audience: 'tool',
  clients: [DEMO_CLIENT],
  signingKey: await loadPrivateKey(join(directory, 'key.json')),
  app: { clientId: CLIENT.client_id, urls: [PAGE] },
});
const server = await listen(app, { host: '127.0.0.1', port });
const url = new URL(issuer);
atEnd(() => server.close(0));
const service = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, LOOSE));

/** A browser that keeps cookies, and follows redirects as far as they stay here. */
function browser() {
  const cookies = new Map<string, string>();
  return async function go(address: string, body?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(address, issuer), {
      ...(body && { method: 'POST', body }),
      headers: { cookie },
      redirect: 'manual',
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    return next === null || next.startsWith(PAGE) ? answer : go(next);
  };
}

async function authorizationUrl(verifier: string, method = 'S256'): Promise<string> {
  const challenge = method === 'plain' ? verifier : await oauth.calculatePKCECodeChallenge(verifier);
  const parameters = {
    client_id: CLIENT.client_id,
    redirect_uri: `${PAGE}callback`,
    response_type: 'code',
    scope: 'openid',
    code_challenge: challenge,
    code_challenge_method: method,
    audience: 'tool',
    state: 'a-state',
  };
  return `${service.authorization_endpoint}?${new URLSearchParams(parameters)}`;
}

async function logIn({ username, password }: Person, go = browser()) {
  const verifier = oauth.generateRandomCodeVerifier();
  const url = await authorizationUrl(verifier);
  const form = await go(url);
  const action = new URL(form.url).pathname;
  const answer = await go(action, new URLSearchParams({ username, password }));
  const back = new URL(answer.headers.get('location') ?? '');
  const code = oauth.validateAuthResponse(service, CLIENT, back, 'a-state');
  const tokens = await oauth.processAuthorizationCodeResponse(
    service,
    CLIENT,
    await oauth.authorizationCodeGrantRequest(
      service,
      CLIENT,
      oauth.None(),
      code,
      `${PAGE}callback`,
      verifier,
      LOOSE,
    ),
  );
  return { tokens, url };
}

const refresh = (token: string) =>
  oauth.refreshTokenGrantRequest(service, CLIENT, oauth.None(), token, LOOSE);

it.each([OPERATOR, UPLOADER])('the service gives $username a token with the permissions', async (person) => {
  const { tokens } = await logIn(person);
  expect(decodeJwt(tokens.access_token)).toMatchObject({
    iss: issuer,
    aud: 'tool',
    sub: person.username,
    client_id: CLIENT.client_id,
    permissions: person.permissions,
    submitters: person.submitters,
  });
});

it('the service lets the uploader neither operate nor manage the session', () => {
  expect(UPLOADER.permissions.filter((one) => /operate|session/.test(one))).toEqual([]);
  expect(OPERATOR.permissions.length - UPLOADER.permissions.length).toBe(2);
});

it('the service renews tokens by a refresh token that works once', async () => {
  const { tokens } = await logIn(UPLOADER);
  const first = tokens.refresh_token ?? '';
  const renewed = await oauth.processRefreshTokenResponse(service, CLIENT, await refresh(first));
  expect(decodeJwt(renewed.access_token).permissions).toEqual(UPLOADER.permissions);
  expect(renewed.refresh_token).not.toBe(first);
  expect((await refresh(first)).status).toBe(400);
});

it('the service asks for the password once', async () => {
  const go = browser();
  await logIn(OPERATOR, go);
  const again = await go(await authorizationUrl(oauth.generateRandomCodeVerifier()));
  expect(again.headers.get('location')).toContain(`${PAGE}callback?code=`);
});

it('the service gives no code without PKCE by S256, to another address, or for a wrong password', async () => {
  const locationOf = async (url: string) => (await browser()(url)).headers.get('location') ?? '';
  expect(await locationOf(await authorizationUrl('v'.repeat(43), 'plain'))).toContain(
    'error=invalid_request',
  );
  const bare = new URL(await authorizationUrl('v'.repeat(43)));
  bare.searchParams.delete('code_challenge');
  bare.searchParams.delete('code_challenge_method');
  expect(await locationOf(bare.href)).toContain('error=invalid_request');
  const elsewhere = new URL(await authorizationUrl('v'.repeat(43)));
  elsewhere.searchParams.set('redirect_uri', 'http://127.0.0.1:2/app/callback');
  expect((await browser()(elsewhere.href)).status).toBe(400);
  await expect(logIn({ ...OPERATOR, password: 'wrong' })).rejects.toThrow();
});

it('the service answers the page that fetches tokens, and no other', async () => {
  const answerTo = async (origin: string) => {
    const { status, headers } = await fetch(service.token_endpoint ?? '', {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: DEMO_CLIENT.clientId,
        client_secret: DEMO_CLIENT.clientSecret,
      }),
    });
    return [status, headers.get('access-control-allow-origin')];
  };
  expect(await answerTo(ORIGIN)).toEqual([200, ORIGIN]);
  expect(await answerTo('http://127.0.0.1:9')).toEqual([400, null]);
});

it('a key whose file a full disk has left empty is made again', async () => {
  const path = join(directory, 'empty.json');
  await writeFile(path, '');
  const key = await loadPrivateKey(path);
  expect(key).toMatchObject({ kty: 'RSA', alg: 'RS256' });
  expect(await loadPrivateKey(path)).toEqual(key);
});
