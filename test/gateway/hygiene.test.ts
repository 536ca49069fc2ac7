/** Headers of every answer, log lines, and data that no answer contains. */
import { afterEach, describe, expect, it } from 'vitest';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { fakeReports } from '../support/gateway-fakes.ts';
import { fieldPart, head, multipartBody, uploadHeaders } from '../support/multipart.ts';
import { type Gateway, startGateway } from '../support/starters/gateway.ts';

const gateway = await startGateway();
afterEach(() => {
  gateway.log.length = 0;
  gateway.processing.run = async () => {};
});

const lineOf = (gate: Gateway) => eventually(async () => gate.log.find(({ msg }) => msg === 'request'));

async function rawAnswer(...bytes: (string | Uint8Array)[]): Promise<string> {
  const connection = await Connection.open(gateway.port);
  for (const part of bytes) await connection.send(part);
  await connection.status();
  await connection.until(/\r\n\r\n./s);
  connection.destroy();
  return connection.received;
}

describe('request ids', () => {
  it('are in the answer and in the log, and differ', async () => {
    const first = await fetch(`${gateway.url}/health/live`);
    const second = await fetch(`${gateway.url}/nothing`);
    const ids = [first, second].map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(2);
    const lines = gateway.log.filter(({ msg }) => msg === 'request');
    expect(lines.map(({ request_id }) => request_id)).toEqual(ids);
    expect(gateway.log.every(({ request_id }) => ids.includes(request_id as string))).toBe(true);
  });

  it('of a client are kept when they are harmless', async () => {
    const given = await fetch(`${gateway.url}/health/live`, {
      headers: { 'x-request-id': 'trace-0123.abc:1' },
    });
    expect(given.headers.get('x-request-id')).toBe('trace-0123.abc:1');
    for (const harmful of [
      'a b c d e f g',
      '<script>alert(1)</script>',
      'x'.repeat(129),
      'short',
      '{"a":"b","c":"d"}',
    ]) {
      const answer = await fetch(`${gateway.url}/health/live`, { headers: { 'x-request-id': harmful } });
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('are on answers of Node itself', async () => {
    expect(await rawAnswer('nonsense\r\n\r\n')).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/im);
  });
});

describe('security headers', () => {
  const answers: [string, () => Promise<string>][] = [
    ['a success', () => rawAnswer(head({}, { method: 'GET', path: '/health/live' }))],
    ['no token', () => rawAnswer(head({}, { method: 'GET', path: '/regulator/session' }))],
    ['a refusal before the body', () => rawAnswer(head(uploadHeaders(null, 1_000_000)))],
    ['nothing there', () => rawAnswer(head({}, { method: 'GET', path: '/nothing' }))],
    ['a wrong method', () => rawAnswer(head({}, { method: 'DELETE' }))],
    ['broken HTTP', () => rawAnswer('nonsense\r\n\r\n')],
    ['a fault of ours', () => rawAnswer(...fault())],
    ['the documentation', () => rawAnswer(head({}, { method: 'GET', path: '/api/doc' }))],
    ['its description', () => rawAnswer(head({}, { method: 'GET', path: '/api/doc.json' }))],
    ['its script', () => rawAnswer(head({}, { method: 'GET', path: '/api/doc/initializer.js' }))],
  ];
  const fault = () => {
    gateway.processing.run = () => Promise.reject(new Error('a secret'));
    const body = multipartBody(10);
    return [head(uploadHeaders(gateway.token, body.length)), body];
  };

  it.each(answers)('are on %s', async (_what, answer) => {
    const received = await answer();
    expect(received).toMatch(/^x-content-type-options: nosniff\r$/im);
    expect(received).toMatch(/^referrer-policy: no-referrer\r$/im);
    expect(received).toMatch(/^content-security-policy: [^\r]*frame-ancestors 'none'/im);
    expect(received).toMatch(/^cross-origin-resource-policy: same-origin\r$/im);
    expect(received).not.toMatch(/^(?:x-powered-by|server|access-control-allow-origin|set-cookie):/im);
    expect(received).not.toMatch(/^strict-transport-security:/im);
  });

  it('keep answers out of caches, except polled answers with an ETag', async () => {
    for (const path of ['/nothing', '/health/live', '/api/doc.json']) {
      const answer = await fetch(gateway.url + path);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    const polled = await gateway.fetch('/regulator/session');
    expect(polled.headers.get('cache-control')).toMatch(/^(?:no-store|private, no-cache)$/);
  });
});

it('an error has no ETag of the report that could not be made: the next request would get 304 for it', async () => {
  const record = { id: 1, status: 'completed' };
  const failing = await startGateway({
    change: ({ database }) => ({
      database: {
        ...database,
        imports: { find: async () => record, version: async () => 'version' } as never,
        reports: fakeReports(() => Promise.reject(new Error('the database is away'))),
      },
    }),
  });
  const { status, headers } = await failing.fetch('/regulator/package-imports/1');
  expect([status, headers.get('etag'), headers.get('cache-control')]).toEqual([500, null, 'no-store']);
});

describe('behind a proxy', () => {
  const FORWARDED = {
    'x-forwarded-for': '198.51.100.1, 203.0.113.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
  };

  it('that is not configured, no forwarded header is trusted', async () => {
    const answer = await fetch(`${gateway.url}/health/live`, { headers: FORWARDED });
    expect(answer.headers.has('strict-transport-security')).toBe(false);
    expect((await lineOf(gateway)).remote_address).toMatch(/127\.0\.0\.1$/);
  });

  it.each([
    [1, '203.0.113.7'],
    [2, '198.51.100.1'],
  ])(
    'of %d that are configured, the first one names the client, and TLS is strict',
    async (trustedProxies, address) => {
      const behind = await startGateway({ change: () => ({ trustedProxies }) });
      const forwarded = { ...FORWARDED, 'x-forwarded-for': `192.0.2.99, ${FORWARDED['x-forwarded-for']}` };
      const answer = await fetch(`${behind.url}/health/live`, { headers: forwarded });
      expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=\d{7,}$/);
      expect((await lineOf(behind)).remote_address).toBe(address);
      const plain = await fetch(`${behind.url}/health/live`, { headers: { 'x-forwarded-proto': 'http' } });
      expect(plain.headers.has('strict-transport-security')).toBe(false);
    },
  );
});

describe('internal errors', () => {
  it('are in the log with their stack, and not in the answer', async () => {
    gateway.session.state = null as never;
    const answer = await gateway.fetch('/regulator/session');
    gateway.session.state = { status: 'active', expiresAt: new Date(Date.now() + 3_600_000) };
    const text = await answer.text();
    expect(answer.status).toBe(500);
    expect(JSON.parse(text)).toEqual({
      status: 'error',
      message: `Internal error. Report it with the request id ${answer.headers.get('x-request-id')}.`,
      data: { code: 'internal', doc_url: '/api/doc/errors#internal' },
    });
    expect(text).not.toMatch(/TypeError|\.ts|node_modules|at /);
    const line = gateway.log.find(({ level }) => level === 50);
    expect(line).toMatchObject({ err: { type: 'TypeError', stack: expect.stringContaining('.ts') } });
  });

  it.each([
    ['a socket', { code: 'ECONNREFUSED' }],
    ['PostgreSQL, which stops', { code: '57P01' }],
    ['PostgreSQL, which is killed', { message: 'Connection terminated unexpectedly' }],
    ['Temporal', { code: 14 }],
  ])('of %s that does not answer say so, and ask for no report', async (_, details) => {
    const outage = new Error('wrapped', { cause: Object.assign(new Error('no answer'), details) });
    const during = await startGateway({
      change: ({ sessions }) => ({ sessions: { ...sessions, state: () => Promise.reject(outage) } }),
    });
    const answer = await during.fetch('/regulator/session');
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({
      message: 'A part of the service does not answer. Try again later.',
      data: { code: 'temporarily_unavailable' },
    });
    expect(during.log.find(({ level }) => level === 50)).toMatchObject({ code: 'temporarily_unavailable' });
  });

  it('include any thrown value', async () => {
    for (const thrown of [undefined, null, 'text', 0, { expose: true }, new AggregateError([])]) {
      // Libraries reject with any value, not only with errors.
      gateway.processing.run = () => Promise.reject(thrown);
      const answer = await gateway.upload(multipartBody(10));
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ status: 'error' });
    }
  });
});

describe('texts with special characters', () => {
  it.each([
    ['lines', 'a.zip\r\nBcc: everybody@evil.example\r\n\r\n.zip', 'a.zip Bcc: everybody@evil.example .zip'],
    ['escaped lines', 'a%0D%0ABcc: everybody@evil.example.zip', 'a Bcc: everybody@evil.example.zip'],
    ['a path', '../../etc/cron.d/evil.zip', 'evil.zip'],
    ["another system's path", 'C:\\Windows\\evil.zip', 'evil.zip'],
    ['NUL', 'a\0.zip', 'a\\u{0}.zip'],
    ['writing from right to left', 'a\u202epiz.exe.zip', 'a\\u{202e}piz.exe.zip'],
    ['a terminal', '\u001b[31ma.zip', '\\u{1b}[31ma.zip'],
  ])('a file name with %s is cleaned', async (_what, name, stored) => {
    await gateway.clear();
    const quoted = encodeURIComponent(name);
    const body = multipartBody(10).toString().replace('filename="package.zip"', `filename*=UTF-8''${quoted}`);
    const answer = await gateway.upload(Buffer.from(body));
    expect(answer.status).toBe(200);
    expect(gateway.imports[0]?.fileName).toBe(stored);
  });

  it('an endless file name is cut', async () => {
    await gateway.clear();
    const answer = await gateway.upload(multipartBody(10, { fileName: `${'n'.repeat(5_000)}.zip` }));
    expect(answer.status).toBe(200);
    expect(gateway.imports[0]?.fileName.length).toBeLessThan(300);
  });

  it.each([
    'a@company.example\r\nBcc: b@evil.example',
    'a@company.example\nBcc: b@evil.example',
    'a@company.example, nobody',
    Array.from({ length: 11 }, (_, n) => `a${n}@company.example`).join(','),
    'a@company.example;b@evil.example',
    'a@company.example b@evil.example',
    '"A" <a@company.example>',
    'A <a@company.example>',
    '=?utf-8?Q?a=40company.example=0D=0ABcc:b=40evil.example?= <a@company.example>',
    '=?utf-8?B?YQ==?=@company.example',
    '"a b"@company.example',
    '"a\r\nRCPT TO:<b@evil.example>"@company.example',
    'a@company.example> SIZE=1\r\nRCPT TO:<b@evil.example',
    'a@company.example%0D%0ABcc:b@evil.example',
    'a@[127.0.0.1]',
    'a(comment)@company.example',
    'a@b@company.example',
    'group: a@company.example;',
    `${'a'.repeat(250)}@company.example`,
    'a@company.example\0',
  ])('the address %j is refused', async (email) => {
    await gateway.clear();
    const answer = await gateway.upload(multipartBody(10, { before: fieldPart('email', email) }));
    expect(answer.status).toBe(400);
    expect(gateway.imports).toEqual([]);
    expect(await gateway.files()).toEqual([]);
  });

  it('a webhook URL with NUL is refused', async () => {
    const before = fieldPart('webhook_url', 'https://hooks.company.example/\0');
    const answer = await gateway.upload(multipartBody(10, { before }));
    expect(await answer.json()).toMatchObject({
      message: 'The form is invalid: "webhook_url" must not contain NUL.',
    });
  });

  it('an address that is refused is named', async () => {
    const before = fieldPart('email', 'a@company.example, no\u001body');
    const answer = await gateway.upload(multipartBody(10, { before }));
    expect(await answer.json()).toMatchObject({
      message: 'The form is invalid: "email" has "no\\u{1b}ody", which is not a valid e-mail address.',
    });
  });
});
