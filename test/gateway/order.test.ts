/**
 * Decision §refuse-before-the-body: the gateway refuses a request before it reads the body, and the client sees the
 * answer while it sends.
 */
import { execFile, spawnSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { head, IMPORT_PATH, multipartBody, uploadHeaders } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

interface CurlAnswer {
  /** 0 when curl has received the whole answer. */
  exitCode: number;
  complaint: string;
  status: number;
  body: string;
  /** Bytes of the request's body that curl has handed to the system. */
  uploaded: number;
}

function curl(...options: string[]): Promise<CurlAnswer> {
  const args = [
    '--silent',
    '--show-error',
    '--max-time',
    '60',
    '--write-out',
    '\n%{http_code} %{size_upload}',
  ];
  return new Promise((resolve) => {
    execFile('curl', [...args, ...options], { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const lines = stdout.split('\n');
      const [status = '0', uploaded = '0'] = (lines.pop() ?? '').split(' ');
      resolve({
        exitCode: error ? Number(error.code) : 0,
        complaint: stderr.trim(),
        status: Number(status),
        body: lines.join('\n'),
        uploaded: Number(uploaded),
      });
    });
  });
}

const MB = 1024 * 1024;
const LIMIT = 32 * MB;

/** The server's end of the latest connection. */
let serverSocket: Socket;

const gateway = await startGateway({ limits: { maxUploadBytes: LIMIT } });
const url = `${gateway.url}/regulator/package-import`;
const withoutPermission = await gateway.tokens.sign({ permissions: [] });
const directory = await temporaryDirectory();
/** 96 MB, and 30 MB that would be accepted. Sparse files, which take no space. */
const hugeFile = await sparseFile('huge.zip', 96 * MB);
const bigFile = await sparseFile('big.zip', 30 * MB);
gateway.server.server.on('connection', (socket) => {
  serverSocket = socket;
});
afterEach(() => {
  gateway.session.state = { status: 'active', expiresAt: new Date(Date.now() + 3_600_000) };
});

async function sparseFile(name: string, bytes: number): Promise<string> {
  const path = join(directory, name);
  const file = await open(path, 'w');
  await file.truncate(bytes);
  await file.close();
  return path;
}

interface Refusal {
  title: string;
  status: number;
  authorization: () => string | null;
  loggedOut?: boolean;
  /** Refused by its announced length: a chunked body announces none. */
  byLength?: boolean;
}

const REFUSALS: Refusal[] = [
  { title: 'no token', status: 401, authorization: () => null },
  { title: 'a bad token', status: 401, authorization: () => `Bearer ${gateway.token}x` },
  { title: 'no permission', status: 403, authorization: () => `Bearer ${withoutPermission}` },
  { title: 'too large', status: 413, authorization: () => `Bearer ${gateway.token}`, byLength: true },
  { title: 'no session', status: 412, authorization: () => `Bearer ${gateway.token}`, loggedOut: true },
];

describe('a refusal before the first byte of the body', () => {
  for (const { title, status, authorization, loggedOut, byLength } of REFUSALS) {
    for (const expect100 of [false, true]) {
      it(`${title}: ${status}${expect100 ? ', and no 100 Continue before' : ''}`, async () => {
        if (loggedOut) gateway.session.state = { status: 'none', expiresAt: null };
        const connection = await Connection.open(gateway.port);
        const announced = byLength ? LIMIT + MB + 1 : 20 * MB;
        await connection.send(
          head({
            ...uploadHeaders(null, announced),
            Authorization: authorization() ?? undefined,
            Expect: expect100 ? '100-continue' : undefined,
          }),
        );
        expect(await connection.status()).toBe(status);
        const [, body = ''] = await connection.until(/\r\n\r\n(\{.*\})$/s);
        expect(JSON.parse(body)).toMatchObject({ status: 'error', message: expect.any(String) });
        expect(connection.received).not.toContain('100 Continue');
        expect(connection.received).toMatch(/^connection: close/im);
        await connection.untilEnded();
      });
    }
  }

  it.each([
    ['dry_run=perhaps', 'dry_run: must be one of true, false'],
    ['dry_run=true&dry_run=true', 'dry_run: must be given once'],
    ['diff=true', 'diff=true requires dry_run=true'],
    ['dry_run=false&diff=true', 'diff=true requires dry_run=true'],
  ])('the query %s: 400 without 100 Continue', async (query, message) => {
    const connection = await Connection.open(gateway.port);
    const headers = { ...uploadHeaders(gateway.token, 20 * MB), Expect: '100-continue' };
    await connection.send(head(headers, { path: `${IMPORT_PATH}?${query}` }));
    expect(await connection.status()).toBe(400);
    await connection.until(/\r\n\r\n(\{.*\})$/s);
    expect(connection.received).toContain(message);
    expect(connection.received).not.toContain('100 Continue');
  });

  it('a query that requests a dry run skips only the check of the session', async () => {
    gateway.session.state = { status: 'none', expiresAt: null };
    const path = `${IMPORT_PATH}?dry_run=true`;
    for (const { authorization, byLength, loggedOut, status } of REFUSALS) {
      const connection = await Connection.open(gateway.port);
      const announced = byLength ? LIMIT + MB + 1 : 20 * MB;
      const ours = { Authorization: authorization() ?? undefined, Expect: '100-continue' };
      await connection.send(head({ ...uploadHeaders(null, announced), ...ours }, { path }));
      if (loggedOut) await connection.until(/^HTTP\/1\.1 100 Continue/);
      else expect(await connection.status()).toBe(status);
      connection.destroy();
    }
  });

  it.each([
    ['not multipart', 'application/zip'],
    ['no boundary', 'multipart/form-data'],
    ['a boundary that needs quotation marks', 'multipart/form-data; boundary=----=_Part_1'],
  ])('%s: 400 without 100 Continue', async (_title, contentType) => {
    const connection = await Connection.open(gateway.port);
    const headers = {
      ...uploadHeaders(gateway.token, 20 * MB),
      'Content-Type': contentType,
      Expect: '100-continue',
    };
    await connection.send(head(headers));
    expect(await connection.status()).toBe(400);
    expect(connection.received).not.toContain('100 Continue');
  });
});

describe.skipIf(!hasCurl)('curl gets the answer, never a broken connection', () => {
  const bodies = {
    '-F with a length': (file: string) => ['-F', `file=@${file}`],
    '-F chunked': (file: string) => ['-H', 'Transfer-Encoding: chunked', '-F', `file=@${file}`],
    '-T with a length': (file: string) => ['-X', 'POST', '-T', file],
    '-T chunked': (file: string) => ['-X', 'POST', '-H', 'Transfer-Encoding: chunked', '-T', file],
  };
  const expectations = { 'Expect: 100-continue': [], 'no Expect': ['-H', 'Expect:'] };

  const ways = Object.entries(bodies);
  for (const { title, status, authorization, loggedOut } of REFUSALS) {
    // All are sent by the same code.
    const tried = title === 'no token' ? ways : ways.slice(0, 1);
    it(`${title}: ${status}, by ${tried.length} of ${ways.length} ways to send a large file`, async () => {
      if (loggedOut) gateway.session.state = { status: 'none', expiresAt: null };
      const token = authorization();
      const authorized = token === null ? [] : ['-H', `Authorization: ${token}`];
      const file = loggedOut ? bigFile : hugeFile;
      for (const [way, body] of tried) {
        for (const [expectation, options] of Object.entries(expectations)) {
          const answer = await curl(...options, ...authorized, ...body(file), url);
          expect({ way, expectation, ...answer }).toMatchObject({ exitCode: 0, complaint: '', status });
          expect(JSON.parse(answer.body)).toMatchObject({ status: 'error' });
          if (expectation !== 'no Expect') expect(answer.uploaded).toBe(0);
        }
      }
    });
  }

  it('a chunked file above the limit: 413', async () => {
    for (const options of Object.values(expectations)) {
      const chunked = ['-H', 'Transfer-Encoding: chunked', '-F', `file=@${hugeFile}`];
      const answer = await curl(...options, '-H', `Authorization: Bearer ${gateway.token}`, ...chunked, url);
      expect(answer).toMatchObject({ exitCode: 0, complaint: '', status: 413 });
      expect(answer.uploaded).toBeLessThan(64 * MB);
    }
    expect(await gateway.files()).toEqual([]);
  });

  it('reliably: 32 refusals, 16 at a time', async () => {
    const refused = async () => {
      const { exitCode, complaint, status } = await curl('-H', 'Expect:', '-F', `file=@${hugeFile}`, url);
      return `${exitCode} ${status} ${complaint}`.trim();
    };
    const seen = new Set<string>();
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all(Array.from({ length: 16 }, refused));
      for (const answer of answers) seen.add(answer);
    }
    expect([...seen]).toEqual(['0 401']);
  });
});

describe('after a refusal', () => {
  it('at most about 1 MiB of the body is read, and the connection ends', async () => {
    const connection = await Connection.open(gateway.port);
    const started = performance.now();
    await connection.send(head(uploadHeaders(null, 90 * MB)));
    // More than the buffers of the connection hold, so that they cannot take all of it.
    void connection.send(Buffer.alloc(60 * MB));
    expect(await connection.status()).toBe(401);
    await connection.until(/missing\."[^}]*"missing_token"[^}]*\}\}$/);
    await eventually(async () => serverSocket.destroyed);
    expect(serverSocket.bytesRead).toBeGreaterThanOrEqual(MB);
    expect(serverSocket.bytesRead).toBeLessThan(1.5 * MB);
    expect(performance.now() - started).toBeGreaterThan(1_500);
  });

  it('a client that sends everything before it reads gets the answer', async () => {
    const connection = await Connection.open(gateway.port);
    connection.socket.pause();
    await connection.send(
      Buffer.concat([Buffer.from(head(uploadHeaders(null, 2 * MB))), Buffer.alloc(2 * MB)]),
    );
    connection.socket.resume();
    expect(await connection.status()).toBe(401);
    await connection.until(/missing\."[^}]*"missing_token"[^}]*\}\}$/);
    await connection.untilEnded();
    expect(connection.error).toBeNull();
  });

  it('the connection ends at once when the client ends it', async () => {
    const connection = await Connection.open(gateway.port);
    await connection.send(head(uploadHeaders(null, 90 * MB)));
    expect(await connection.status()).toBe(401);
    const started = performance.now();
    connection.socket.end();
    await eventually(async () => serverSocket.destroyed);
    expect(performance.now() - started).toBeLessThan(1_500);
  });
});

describe('Expect: 100-continue', () => {
  it('is answered exactly once, when everything except the body is checked', async () => {
    const body = multipartBody(1_000);
    const connection = await Connection.open(gateway.port);
    await connection.send(head({ ...uploadHeaders(gateway.token, body.length), Expect: '100-Continue' }));
    await connection.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    await connection.send(body);
    expect(await connection.status()).toBe(200);
    expect(connection.received.match(/100 Continue/g)).toHaveLength(1);
  });

  it('is answered before a JSON body too', async () => {
    const connection = await Connection.open(gateway.port);
    const json = JSON.stringify({ code: '123456' });
    const headers = {
      Authorization: `Bearer ${gateway.token}`,
      'Content-Type': 'application/json',
      'Content-Length': json.length,
      Expect: '100-continue',
    };
    await connection.send(head(headers, { path: '/regulator/session/verification' }));
    await connection.until(/^HTTP\/1\.1 100 Continue/);
    await connection.send(json);
    expect(await connection.status()).toBe(200);
  });

  it.each<[what: string, expectation: string, version: string, continues: boolean]>([
    ['of an HTTP/1.0 client is ignored (RFC 9110 §10.1.1)', '100-continue', '1.0', false],
    ['is answered beside another expectation, which is ignored', 'wonders, 100-continue', '1.1', true],
    ['is not needed: another expectation alone is ignored', 'wonders', '1.1', false],
  ])('%s', async (_what, expectation, version, continues) => {
    const body = multipartBody(1_000);
    const connection = await Connection.open(gateway.port);
    await connection.send(
      head({ ...uploadHeaders(gateway.token, body.length), Expect: expectation }, { version }),
    );
    if (continues) await connection.until(/100 Continue/);
    await connection.send(body);
    expect(await connection.status()).toBe(200);
    expect(connection.received.includes('100 Continue')).toBe(continues);
  });
});
