/** HTTP from attackers and broken clients: a fitting answer in the envelope, or none, and never a crash. */
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import {
  chunk,
  fileStart,
  head,
  IMPORT_PATH,
  LAST_CHUNK,
  multipartBody,
  uploadHeaders,
} from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

const gateway = await startGateway({ server: { headersTimeoutMs: 1_000 } });
afterEach(async () => {
  const faults = gateway.log.filter(({ level }) => Number(level) >= 50);
  gateway.log.length = 0;
  await gateway.clear();
  expect(faults).toEqual([]);
});

async function exchange(...bytes: (string | Uint8Array)[]): Promise<Connection> {
  const connection = await Connection.open(gateway.port);
  for (const part of bytes) await connection.send(part);
  return connection;
}

const LIVE = head({}, { method: 'GET', path: '/health/live' });
const upload = () => {
  const body = multipartBody(100);
  return Buffer.concat([Buffer.from(head(uploadHeaders(gateway.token, body.length))), body]);
};

function envelopes(connection: Connection): unknown[] {
  return [...connection.received.matchAll(/^\{"status":.*?\}(?=HTTP|$)/gms)].map(([body]) =>
    JSON.parse(body),
  );
}

describe('one connection for several requests', () => {
  it('answers one after the other, also after a refusal whose body was read', async () => {
    const refused = Buffer.concat([Buffer.from(head(uploadHeaders(null, 10))), Buffer.alloc(10)]);
    const connection = await exchange(refused);
    expect(await connection.status()).toBe(401);
    await connection.send(upload());
    await connection.until(/HTTP\/1\.1 200/);
    await connection.send(LIVE);
    await connection.until(/Alive/);
    expect(gateway.imports).toHaveLength(1);
    expect(connection.ended).toBe(false);
  });

  it('answers pipelined requests in their order, uploads among them', async () => {
    const connection = await exchange(
      Buffer.concat([upload(), Buffer.from(LIVE), upload(), Buffer.from(LIVE)]),
    );
    await eventually(async () => envelopes(connection).length === 4);
    const statuses = [...connection.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '200', '200', '200']);
    expect(connection.received.indexOf('"Alive."')).toBeGreaterThan(connection.received.indexOf('queued'));
    expect(gateway.imports).toHaveLength(2);
  });

  it('refuses a pipelined upload in its turn, and does not check it earlier', async () => {
    const processing = gateway.holdProcessing();
    const refused = head({ ...uploadHeaders(null, 1_000_000), Expect: '100-continue' });
    const connection = await exchange(Buffer.concat([upload(), Buffer.from(refused)]));
    await processing.begun;
    expect(gateway.log.some(({ status }) => status === 401)).toBe(false);
    processing.end();
    gateway.processing.run = async () => {};
    await connection.until(
      /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 401 [\s\S]*missing\."[^}]*"missing_token"[^}]*\}\}$/,
    );
    await connection.untilEnded();
  });

  it('ignores requests after one that ended the connection', async () => {
    const connection = await exchange(head(uploadHeaders(null, 10)));
    expect(await connection.status()).toBe(401);
    await connection.send(Buffer.concat([Buffer.alloc(10), upload()]));
    await connection.untilEnded();
    await eventually(async () => connection.closed || connection.socket.destroy());
    expect(envelopes(connection)).toHaveLength(1);
    expect(gateway.imports).toEqual([]);
    expect(gateway.log.filter(({ msg }) => msg === 'request')).toHaveLength(1);
  });

  it('lets a client close its side and still read the answer', async () => {
    const connection = await exchange(upload());
    connection.socket.end();
    expect(await connection.status()).toBe(200);
    await connection.untilEnded();
  });
});

describe('HEAD', () => {
  it.each([
    ['/health/live', 200],
    ['/api/doc.json', 200],
    [IMPORT_PATH, 405],
    ['/nothing', 404],
  ])('%s: %d without a body', async (path, status) => {
    const connection = await exchange(head({ Connection: 'close' }, { method: 'HEAD', path }));
    expect(await connection.status()).toBe(status);
    await connection.untilEnded();
    expect(connection.received).toMatch(/\r\n\r\n$/);
    expect(connection.received).toMatch(/^x-content-type-options: nosniff/im);
  });

  it('with a body that is not read', async () => {
    const connection = await exchange(head(uploadHeaders(null, 1_000_000), { method: 'HEAD' }));
    expect(await connection.status()).toBe(405);
    await connection.untilEnded();
    expect(connection.received).toMatch(/\r\n\r\n$/);
  });
});

describe('methods', () => {
  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
    '%s on the import path: 405 that says what is allowed',
    async (method) => {
      const response = await fetch(`${gateway.url}${IMPORT_PATH}`, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
      expect(await response.json()).toMatchObject({ status: 'error' });
    },
  );

  it('OPTIONS says what is allowed; TRACE and others are not', async () => {
    const options = await fetch(`${gateway.url}${IMPORT_PATH}`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([200, 'POST']);
    for (const method of ['TRACE', 'PROPFIND']) {
      const connection = await exchange(head({}, { method }));
      expect(await connection.status()).toBe(405);
      await connection.until(/^allow: POST\r$/im);
      connection.destroy();
    }
  });

  it('CONNECT is refused', async () => {
    const connection = await exchange(
      'CONNECT company.example:443 HTTP/1.1\r\nHost: company.example\r\n\r\n',
    );
    expect(await connection.status()).toBe(405);
    await connection.untilEnded();
    expect(envelopes(connection)).toHaveLength(1);
  });

  it.each([
    ['an unknown method', 'FOO /x HTTP/1.1\r\nHost: a\r\n\r\n', 501, 'unknown'],
    ['a method in lower case', 'get /x HTTP/1.1\r\nHost: a\r\n\r\n', 501, 'capital letters'],
    ['a longer method', 'GETX /x HTTP/1.1\r\nHost: a\r\n\r\n', 501, 'unknown'],
    ['no request line', 'FOO\r\n\r\n', 400, 'not valid HTTP'],
    ['TLS', '\u0016\u0003\u0001\u0002', 400, 'not valid HTTP'],
  ])('%s (%j): %i', async (_what, bytes, status, message) => {
    const connection = await exchange(bytes);
    expect(await connection.status()).toBe(status);
    await connection.untilEnded();
    expect(envelopes(connection)).toMatchObject([{ message: expect.stringContaining(message) }]);
  });

  it('an upgrade is ignored', async () => {
    const upgrade = {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABkAAQAAP__',
    };
    const connection = await exchange(head(upgrade, { method: 'GET', path: '/health/live' }));
    expect(await connection.status()).toBe(200);
  });
});

/** Each is followed by an upload. A parser that ends the first request too early would accept the upload. */
const SMUGGLING: [string, () => string][] = [
  [
    'Content-Length and Transfer-Encoding',
    () => head({ ...uploadHeaders(gateway.token, 'chunked'), 'Content-Length': 4 }) + LAST_CHUNK,
  ],
  ['two lengths', () => head({ ...uploadHeaders(gateway.token, 0), 'content-length': 5 })],
  ['a list of lengths', () => head({ 'Content-Length': '5, 0' })],
  ['a negative length', () => head({ 'Content-Length': '-1' })],
  ['a length with a sign', () => head({ 'Content-Length': '+0' })],
  ['a hexadecimal length', () => head({ 'Content-Length': '0x0' })],
  ['an astronomic length', () => head({ 'Content-Length': '99999999999999999999999' })],
  ['an unknown coding', () => head({ 'Transfer-Encoding': 'xchunked' }) + LAST_CHUNK],
  ['chunked before another coding', () => head({ 'Transfer-Encoding': 'chunked, gzip' }) + LAST_CHUNK],
  ['a blank before the colon', () => head({ 'Transfer-Encoding ': 'chunked' }) + LAST_CHUNK],
  ['a coding on a folded line', () => head({ 'Transfer-Encoding': '\r\n chunked' }) + LAST_CHUNK],
  ['bare line feeds', () => head({ 'Content-Length': 0 }).replaceAll('\r\n', '\n')],
  ['a bare line feed in a header', () => head({ 'X-Header': 'a\nContent-Length: 0' })],
  ['a bare carriage return in a header', () => head({ 'X-Header': 'a\rContent-Length: 0' })],
  ['NUL in a header', () => head({ 'X-Header': 'a\0b' })],
  ['a chunk size that is no number', () => `${head({ 'Transfer-Encoding': 'chunked' })}zz\r\n`],
  [
    'a chunk size beyond all numbers',
    () => `${head({ 'Transfer-Encoding': 'chunked' })}${'f'.repeat(20)}\r\n`,
  ],
  ['a negative chunk size', () => `${head({ 'Transfer-Encoding': 'chunked' })}-1\r\n`],
  ['a version to come', () => 'GET /health/live HTTP/3.0\r\nHost: a\r\n\r\n'],
  ['HTTP/2 by prior knowledge', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['no HTTP at all', () => 'EHLO company.example\r\n'],
  ['no Host', () => 'GET /health/live HTTP/1.1\r\n\r\n'],
];

describe('requests that two readers could parse differently', () => {
  it.each(SMUGGLING)('%s: 400, once, and nothing that follows is processed', async (_what, text) => {
    const connection = await exchange(Buffer.concat([Buffer.from(text(), 'latin1'), upload()]));
    expect(await connection.status()).toBe(400);
    await connection.untilEnded();
    const [answer, ...more] = envelopes(connection);
    expect(answer).toMatchObject({ status: 'error', message: expect.any(String) });
    expect(more).toEqual([]);
    expect(connection.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(connection.received).toMatch(/^connection: close/im);
    expect(gateway.imports).toEqual([]);
  });

  it('a chunked body that breaks in the file: 400, and nothing is left', async () => {
    const connection = await exchange(head(uploadHeaders(gateway.token, 'chunked')), chunk(fileStart()));
    await connection.send(chunk(Buffer.alloc(100_000)));
    await eventually(async () => (await gateway.files()).length > 0);
    await connection.send('nonsense\r\n');
    expect(await connection.status()).toBe(400);
    await connection.untilEnded();
    connection.destroy();
    await eventually(async () => (await gateway.files()).length === 0);
    expect(gateway.imports).toEqual([]);
  });

  it('invalid bytes after a running request do not disturb its answer', async () => {
    const processing = gateway.holdProcessing();
    const connection = await exchange(Buffer.concat([upload(), Buffer.from('nonsense\r\n\r\n')]));
    await processing.begun;
    processing.end();
    gateway.processing.run = async () => {};
    expect(await connection.status()).toBe(200);
    await connection.untilEnded();
    expect(connection.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('invalid requests', () => {
  it.each(['0.9', '2.0'])('version %s: 505 in the envelope', async (version) => {
    const connection = await exchange(head({}, { method: 'GET', path: '/health/live', version }));
    expect(await connection.status()).toBe(505);
    await connection.untilEnded();
    expect(envelopes(connection)).toHaveLength(1);
  });

  it('headers of more than 16 KB: 431 in the envelope, even while the client sends more', async () => {
    const connection = await exchange('GET /health/live HTTP/1.1\r\nHost: a\r\nX-Header: ');
    void connection.send('x'.repeat(3_000_000));
    expect(await connection.status()).toBe(431);
    await connection.until(/too large\."[^}]*"invalid_request"[^}]*\}\}/);
  });

  it('thousands of headers', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => [`h${index}`, '']);
    const connection = await exchange(
      head(Object.fromEntries(many), { method: 'GET', path: '/health/live' }),
    );
    expect([200, 431]).toContain(await connection.status());
  });

  it('headers without an end: 408 in the envelope', async () => {
    const connection = await exchange('GET /health/live HTTP/1.1\r\nHost: a\r\n');
    expect(await connection.status()).toBe(408);
    await connection.untilEnded();
    expect(envelopes(connection)).toHaveLength(1);
  });

  it('a silent connection is closed', async () => {
    const connection = await exchange('');
    await connection.untilEnded();
  });

  it.each([
    ['a very long path', `/${'a'.repeat(12_000)}`, 404],
    ['a path that cannot be decoded', '/regulator/package-imports/%E0%A4%A', 401],
    ['a path that climbs', '/../../etc/passwd', 404],
    ['an encoded slash', '/regulator%2Fpackage-import', 404],
    ['an absolute form', 'http://evil.example/health/live', 200],
    ['a path with no meaning', '//', 404],
    ['an asterisk', '*', 404],
    ['a query of tricks', '/health/live?__proto__[a]=b&a[]=c&%', 200],
  ])('%s: an answer', async (_what, path, status) => {
    const connection = await exchange(head({}, { method: 'GET', path }));
    expect(await connection.status()).toBe(status);
    expect(envelopes(connection)).toHaveLength(1);
  });

  it('an id that cannot be decoded, with a token: not found or invalid', async () => {
    const headers = { Authorization: `Bearer ${gateway.token}` };
    const connection = await exchange(
      head(headers, { method: 'GET', path: '/regulator/package-imports/%E0%A4%A' }),
    );
    expect([400, 404]).toContain(await connection.status());
  });

  it('a body on a route without one: the answer of the route', async () => {
    const body = { 'Content-Length': 1_000_000 };
    const page = await exchange(head(body, { method: 'GET', path: '/api/doc' }));
    await page.until(/^content-type: text\/html[\s\S]*<\/html>\s*$/im);
    page.destroy();
    const live = await exchange(head(body, { method: 'GET', path: '/health/live' }));
    await live.until(/"Alive\."/);
    live.destroy();
  });

  it('an invalid or too large JSON body: 400 and 413', async () => {
    const verify = (body: string, contentType = 'application/json') =>
      fetch(`${gateway.url}/regulator/session/verification`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.token}`, 'content-type': contentType },
        body,
      });
    expect((await verify('{"code": ')).status).toBe(400);
    expect((await verify('"__proto__"')).status).toBe(400);
    expect((await verify('{"__proto__": {"code": "1"}}')).status).toBe(400);
    expect((await verify('[]')).status).toBe(400);
    expect((await verify('{"code":"1"}', 'text/plain')).status).toBe(400);
    expect((await verify(`"${'x'.repeat(70_000)}"`)).status).toBe(413);
  });
});

it('the gateway stays healthy after a flood of aborted requests', async () => {
  const giveUp = () =>
    new Promise<void>((resolve) => {
      const { port } = gateway;
      const headers = uploadHeaders(gateway.token, 10_000);
      const options = { port, method: 'POST', path: IMPORT_PATH, headers, agent: false };
      const attempt = request(options).on('error', () => resolve());
      attempt.write(multipartBody(5_000).subarray(0, 4_000));
      setImmediate(() => attempt.destroy());
    });
  await Promise.all(Array.from({ length: 200 }, giveUp));
  expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
  await eventually(async () => (await gateway.files()).length === 0);
  expect(gateway.imports).toEqual([]);
});
