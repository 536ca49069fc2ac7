/** The gateway as a process: its memory, and its output besides the logger. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import {
  BODY_END,
  chunk,
  fieldPart,
  fileStart,
  head,
  IMPORT_PATH,
  multipartBody,
  PART_END,
  uploadHeaders,
} from '../support/multipart.ts';
import {
  type GatewayProcess,
  type ProgramOptions,
  startGatewayProcess,
} from '../support/starters/gateway.ts';
import { startForgetfulS3 } from './support/forgetful-s3.ts';

const MB = 1024 * 1024;

/** Idle timeout in tests with a silent client. */
const SILENCE_MS = 500;

/** The gateway of the current test. */
let gateway: GatewayProcess;

const startGateway = ({ limits, ...options }: ProgramOptions = {}) =>
  startGatewayProcess({ ...options, limits: { maxUploadBytes: 2048 * MB, ...limits } });
const rss = async () => (await gateway.usage()).rss;

/**
 * Uploads so many bytes as fast as the gateway reads them, without holding them all in memory.
 *
 * @param look is called after each 16 MB
 */
async function stream(bytes: number, look = async () => {}): Promise<number | undefined> {
  const end = PART_END + BODY_END;
  const length = fileStart().length + bytes + end.length;
  const headers = uploadHeaders(gateway.token, length);
  const upload = request({ port: gateway.port, method: 'POST', path: IMPORT_PATH, headers, agent: false });
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
  const piece = Buffer.alloc(MB);
  upload.write(fileStart());
  for (let sent = 0; sent < bytes; sent += piece.length) {
    // An answer before the end is a refusal.
    if (!upload.write(piece)) await Promise.race([once(upload, 'drain'), answered]);
    if (sent % (16 * MB) === 0) await look();
  }
  upload.end(end);
  const [answer] = await answered;
  answer.resume();
  return answer.statusCode;
}

it('the gateway streams 256 MB in constant memory', async () => {
  // With the default timeouts: a busy disk stops for a second at times.
  gateway = await startGateway();
  expect(await stream(64 * MB)).toBe(200);
  const before = await rss();
  let most = before;
  const look = async () => {
    most = Math.max(most, await rss());
  };
  expect(await stream(256 * MB, look)).toBe(200);
  expect((most - before) / MB).toBeLessThan(120);
});

it('the gateway has bounded memory for ninety nearly silent uploads', async () => {
  const bucket = await startForgetfulS3();
  // The number of uploads that a gateway receives at the same time.
  const admitted = 28;
  gateway = await startGateway({ s3Url: bucket.url, limits: { uploadsAtOnce: admitted }, otherClients: 90 });
  expect(await stream(64 * MB)).toBe(200);
  const before = await rss();
  const partsBefore = bucket.parts();
  // Nearly two parts: the second part is never full, and stays in memory as long as its client waits.
  const beginning = Buffer.concat([Buffer.from(fileStart()), Buffer.alloc(9.9 * MB)]);
  const slow = await Promise.all(
    // From as many clients: one client alone does not get all places.
    gateway.others.map(async (token) => {
      const connection = await Connection.open(gateway.port);
      await connection.send(head(uploadHeaders(token, 100 * MB)));
      void connection.send(beginning);
      return connection;
    }),
  );
  const refused = () => slow.filter(({ received }) => received.includes('HTTP/1.1 503'));
  await eventually(
    async () => bucket.parts() - partsBefore === admitted && refused().length === 90 - admitted,
  );
  let most = 0;
  for (let second = 0; second < 3; second += 1) {
    most = Math.max(most, await rss());
    await sleep(1_000);
  }
  const growthMb = (most - before) / MB;
  process.stdout.write(`memory for ninety slow uploads: ${Math.round(growthMb)} MB\n`);
  expect(growthMb).toBeLessThan(400);
  for (const connection of slow) connection.destroy();
});

/** Failures in the middle of a request. */
const MISFORTUNES: Record<string, () => Promise<unknown>> = {
  'broken HTTP': () => talk('nonsense\r\n\r\n'),
  'silence in the headers': () => talk('GET / HTTP/1.1\r\n'),
  'no token': () => talk(head(uploadHeaders(null, MB))),
  'silence in the file': () => talk(head(uploadHeaders(gateway.token, MB)), fileStart(), 'x'),
  'a broken part': () => talk(head(uploadHeaders(gateway.token, MB)), '--frontier\r\nnonsense\r\n\r\n'),
  'a broken chunk': () =>
    talk(head(uploadHeaders(gateway.token, 'chunked')), chunk(fileStart()), chunk('x'), 'zz\r\n'),
  'a late fault': () => talk(...whole(multipartBody(1_000, { after: fieldPart('email', 'nonsense') }))),
  'a part without a name': () => talk(...whole(multipartBody(10, { after: fieldPart('', 'x') }))),
  'a body cut short': () => talk(...whole(multipartBody(1_000).subarray(0, 500))),
  'no file': () => talk(...whole(Buffer.from(fieldPart('comment', 'x') + BODY_END))),
  'no token, and gone': () => leave(head(uploadHeaders(null, MB))),
  'gone in the headers': () => leave('GET / HT'),
  'gone before the body': () => leave(head(uploadHeaders(gateway.token, MB))),
  'gone in the file': () => leave(head(uploadHeaders(gateway.token, MB)), fileStart(), 'x'),
  'gone before 100 Continue': () =>
    leave(head({ ...uploadHeaders(gateway.token, MB), Expect: '100-continue' })),
  'gone before the answer': () => leave(...whole(multipartBody(1_000))),
  'gone with pipelined requests': () => leave(...whole(multipartBody(10)), ...whole(multipartBody(10))),
};

const whole = (body: Buffer) => [head(uploadHeaders(gateway.token, body.length)), body];

async function talk(...bytes: (string | Uint8Array)[]): Promise<void> {
  const connection = await Connection.open(gateway.port);
  for (const part of bytes) await connection.send(part);
  expect(await connection.status()).toBeGreaterThanOrEqual(400);
  connection.destroy();
}

async function leave(...bytes: (string | Uint8Array)[]): Promise<void> {
  for (const way of ['destroy', 'reset'] as const) {
    const connection = await Connection.open(gateway.port);
    for (const part of bytes) await connection.send(part);
    connection[way]();
    await eventually(async () => connection.closed);
  }
}

it('the gateway writes only through its logger, and handles every promise', async () => {
  gateway = await startGateway({
    limits: { uploadIdleMs: SILENCE_MS },
    server: { headersTimeoutMs: SILENCE_MS },
  });
  const misfortunes = Object.values(MISFORTUNES);
  for (let round = 0; round < 3; round += 1) await Promise.all(misfortunes.map((run) => run()));
  expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
  // An unhandled rejection would have ended the process, and printed its reason on standard error.
  expect(gateway.output()).toBe('');
});
