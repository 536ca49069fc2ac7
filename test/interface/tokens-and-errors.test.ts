/** The interface document, point by point (3 of 3): identity service, tokens, permissions, errors. */
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  CLIENT_WITHOUT_PERMISSION,
  DEMO_CLIENT,
} from '../../src/trial-parts/identity-service/identity-service.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack();
const zip = await zipOf({ [productPath('a')]: productXml() });

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
  it('Authorization header missing: 401', async () => {
    const answer = await post({});
    expect(answer.status).toBe(401);
    expect(answer.body.status).toBe('error');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
  });

  it('token invalid: 401', async () => {
    const token = await stack.token();
    const tampered = `${token.slice(0, -6)}AAAAAA`;
    const answer = await post({ authorization: `Bearer ${tampered}` });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('the scheme is case-insensitive', async () => {
    expect((await post({ authorization: `bearer ${await stack.token()}` })).status).toBe(200);
  });

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

  it('unknown paths and methods have the envelope too (decision §answers)', async () => {
    const missing = await fetch(`${stack.gatewayUrl}/nothing`);
    const wrongMethod = await fetch(`${stack.gatewayUrl}/regulator/package-import`);
    expect([missing.status, wrongMethod.status]).toEqual([404, 405]);
    expect(await missing.json()).toMatchObject({ status: 'error', data: { code: 'unknown_path' } });
    expect(await wrongMethod.json()).toMatchObject({ status: 'error', data: { code: 'method_not_allowed' } });
  });
});
