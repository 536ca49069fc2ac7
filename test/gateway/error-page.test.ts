/** The page about error codes: for everybody, one buffer, in agreement with what the gateway answers. */
import { expect, it } from 'vitest';
import { escapeHtml } from '../../src/common/text.ts';
import { aboutError, ERROR_CODES, type ErrorCode } from '../../src/contract/error-codes.ts';
import { IMPORT_PATH, MULTIPART, multipartBody } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

const PUBLIC_URL = 'https://imports.company.example/prefix';
const gateway = await startGateway({
  basePath: '/prefix',
  change: () => ({ publicUrl: `${PUBLIC_URL}/` }),
});
const PAGE = `${gateway.url}/api/doc/errors`;

it('has a section for each code, under the address of its answers', async () => {
  const html = await (await fetch(PAGE)).text();
  for (const code of ERROR_CODES) {
    expect(html).toContain(`<section id="${code}"`);
    expect(html).toContain(escapeHtml(`"doc_url": "${PUBLIC_URL}/api/doc/errors#${code}"`));
    expect(html).toContain(escapeHtml(JSON.stringify(aboutError(code).message)));
  }
  const { data } = (await (await fetch(`${gateway.url}/nowhere`)).json()) as { data: object };
  expect(data).toEqual({ code: 'unknown_path', doc_url: `${PUBLIC_URL}/api/doc/errors#unknown_path` });
});

it('is cached, compressed, and loads nothing', async () => {
  const answer = await fetch(PAGE, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=86400',
    vary: 'Accept-Encoding',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri/,
    ),
  });
  expect((await fetch(PAGE, { method: 'POST' })).status).toBe(404);
});

const send = (file: Buffer) =>
  gateway.fetch(IMPORT_PATH, {
    method: 'POST',
    body: new Uint8Array(file),
    headers: { 'content-type': MULTIPART },
  });

it.each<[ErrorCode, () => Promise<Response>]>([
  ['missing_token', () => fetch(`${gateway.url}/regulator/session`)],
  ['invalid_token', () => gateway.fetch('/regulator/session', { headers: { authorization: 'Bearer x' } })],
  ['method_not_allowed', () => gateway.fetch('/regulator/session', { method: 'PUT' })],
  ['invalid_request', () => gateway.fetch('/regulator/package-imports?limit=0')],
  ['no_file', () => send(Buffer.from('--frontier--\r\n'))],
  ['not_a_zip', () => send(multipartBody(1, { fileName: 'package.rar' }))],
])('shows %s as the gateway answers it', async (code, request) => {
  const answer = await request();
  const { status, message } = aboutError(code);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ message, data: { code } });
});
