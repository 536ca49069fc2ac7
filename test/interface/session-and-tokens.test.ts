/**
 * The interface document, point by point (2 of 2): the regulator session and the default address; identity service,
 * tokens, permissions, errors.
 */
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  CLIENT_WITHOUT_PERMISSION,
  DEMO_CLIENT,
} from '../../src/trial-parts/identity-service/identity-service.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const MESSAGE = 'An active regulator session is required before the package ZIP import.';

const stack = await startStack({
  loggedOut: true,
  env: { DEFAULT_NOTIFICATION_EMAIL: 'default@company.example' },
});
const zip = await zipOf({ [productPath('a')]: productXml() });

interface Session {
  status: string;
  expires_at: string | null;
  regulator_session_message: string;
  regulator_session_status?: string;
}

const session = (method: string, path = '', json?: object) =>
  call<Session>(stack, method, `/regulator/session${path}`, json === undefined ? {} : { json });

/** The reason; the same in one word has to fit. */
async function refusal(status: string) {
  const answer = await upload(stack, zip);
  expect(answer.status).toBe(412);
  expect(answer.body).toMatchObject({ status: 'error', message: MESSAGE });
  const data = answer.body.data as unknown as Session;
  expect(data.regulator_session_status).toBe(status);
  return data.regulator_session_message;
}

describe('4.1 rule 6 and 7: without an active session, 412 with the matching reason', () => {
  it('no session stored', async () => {
    expect(await refusal('none')).toMatch(/No regulator session stored/);
    expect((await session('GET')).body.data.status).toBe('none');
  });

  it('the login waits for an e-mail verification code', async () => {
    const login = await session('POST');
    expect(login.status).toBe(202);
    expect(login.body.data.status).toBe('awaiting_verification_code');
    expect(await refusal('awaiting_verification_code')).toMatch(/verification code/);
  });

  it('a wrong code is refused with 400 and leaves the login pending', async () => {
    const wrong = await session('POST', '/verification', { code: '000000x' });
    expect(wrong.status).toBe(400);
    expect((await session('GET')).body.data.status).toBe('awaiting_verification_code');
  });

  it('with the code from the e-mail the session is active, and uploads are accepted', async () => {
    const mail = (await stack.mailbox.store.list()).find(({ to }) =>
      to.includes(stack.config.regulator.username),
    );
    const code = /^(\d{6})$/m.exec(mail?.text ?? '')?.[1];
    const verified = await session('POST', '/verification', { code });
    expect(verified.status).toBe(200);
    expect(verified.body.data).toMatchObject({ status: 'active', expires_at: expect.any(String) });
    expect((await upload(stack, zip)).status).toBe(200);
  });

  it('the session has expired', async () => {
    stack.simulator.simulation.behaviour.session_ttl_seconds = 0.001;
    await stack.logIn();
    stack.simulator.simulation.behaviour.session_ttl_seconds = 3600;
    expect((await session('GET')).body.data.status).toBe('expired');
    expect(await refusal('expired')).toMatch(/expired/);
  });

  it('a logout that the regulator does not accept leaves the session active', async () => {
    await stack.logIn();
    stack.imports.takeRegulatorAway();
    const refused = await session('DELETE');
    expect(refused).toMatchObject({ status: 502, body: { data: { code: 'regulator_unavailable' } } });
    expect((await session('GET')).body.data.status).toBe('active');
    stack.imports.restoreRegulator();
  });

  it('after logging out there is none', async () => {
    expect((await session('DELETE')).body.data.status).toBe('none');
    expect(await refusal('none')).toMatch(/No regulator session stored/);
  });
});

describe('4.1 rule 9: the default notification address', () => {
  it('is used when email is absent', async () => {
    await stack.logIn();
    const answer = await upload(stack, await zipOf({ [productPath('a')]: productXml() }));
    expect(answer.body.data.notification).toEqual({ email: 'default@company.example', status: 'pending' });
    expect((await finished(stack, answer.body.data.id)).notification?.status).toBe('sent');
  });

  it('is overridden by the address of the upload', async () => {
    const answer = await upload(stack, await zipOf({ [productPath('a')]: productXml() }), {
      email: 'own@company.example',
    });
    expect(answer.body.data.notification?.email).toBe('own@company.example');
  });
});

async function post(headers: Record<string, string>) {
  const form = new FormData();
  form.set('file', new Blob([zip.slice()]), 'a.zip');
  const response = await fetch(`${stack.gatewayUrl}/regulator/package-import`, {
    method: 'POST',
    headers,
    body: form,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as { status: string; message: string },
  };
}

describe('4.2 the identity service', () => {
  it('issues a token by client credentials: access_token, token_type, expires_in', async () => {
    const response = await fetch(`${stack.config.auth.issuer}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: DEMO_CLIENT.clientId,
        client_secret: DEMO_CLIENT.clientSecret,
      }),
    });
    expect(response.status).toBe(200);
    const body = (await response.json()) as { access_token: string };
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect(decodeProtectedHeader(body.access_token)).toMatchObject({
      alg: 'RS256',
      typ: 'at+jwt',
      kid: expect.any(String),
    });
    expect(decodeJwt(body.access_token)).toMatchObject({
      iss: stack.config.auth.issuer,
      aud: 'submissions-tool',
    });
  });

  it('publishes interactive documentation and its description, with the operation postLogin', async () => {
    const page = await fetch(`${stack.config.auth.issuer}/api/doc`);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)/);
    const description = (await (await fetch(`${stack.config.auth.issuer}/api/doc.json`)).json()) as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
    expect(description.openapi).toMatch(/^3\.1/);
    expect(operations.map(({ operationId }) => operationId)).toContain('postLogin');
  });

  it('logs in with a JSON body', async () => {
    const response = await fetch(`${stack.config.auth.issuer}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: DEMO_CLIENT.clientId, client_secret: DEMO_CLIENT.clientSecret }),
    });
    expect(await response.json()).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer' });
  });

  it('refuses a wrong secret', async () => {
    const response = await fetch(`${stack.config.auth.issuer}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: DEMO_CLIENT.clientId,
        client_secret: 'no',
      }),
    });
    expect(response.status).toBe(401);
  });
});

describe('5 authentication', () => {
  it('points 4 and 5: permission missing: 403', async () => {
    const answer = await post({ authorization: `Bearer ${await stack.token(CLIENT_WITHOUT_PERMISSION)}` });
    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain('submissions-tool.package-import.create');
    expect(answer.headers.get('www-authenticate')).toContain('insufficient_scope');
  });
});

describe('7 errors', () => {
  it('ZIP content invalid: 500 with the specific message', async () => {
    const answer = await upload(stack, Buffer.from('this is no archive'));
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^Invalid submission ZIP: not a ZIP archive/),
      data: { code: 'invalid_package', id: expect.any(Number) },
    });
  });

  it('rule 2: failures of single XML files are no HTTP errors', async () => {
    const answer = await upload(stack, await zipOf({ [productPath('bad')]: '<nonsense' }));
    expect(answer.status).toBe(200);
    expect(answer.body.data.zip_import.failed).toHaveLength(1);
  });
});
