/** Calls to the regulator: which can be tried again, after how long, and how long an attachment may take. */

import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  RegulatorRateLimited,
  RegulatorSessionRequired,
  RegulatorUnavailable,
} from '../../src/domain/client-errors.ts';
import type { DomainError } from '../../src/domain/errors.ts';
import { createRegulatorClient } from '../../src/regulator/http-client.ts';
import { RegulatorRejection } from '../../src/regulator/port.ts';
import { watchUpload } from '../../src/regulator/upload-watch.ts';
import { listenLocally } from '../support/local-server.ts';

it.each([
  [400, RegulatorRejection, true],
  [404, RegulatorRejection, true],
  [409, RegulatorRejection, true],
  [422, RegulatorRejection, true],
  [431, RegulatorRejection, true],
  [401, RegulatorSessionRequired, false],
  [429, RegulatorRateLimited, false],
  [408, RegulatorUnavailable, false],
  [500, RegulatorUnavailable, false],
  [503, RegulatorUnavailable, false],
])('%i says whether the call can be tried again', async (status, type, permanent) => {
  const client = createRegulatorClient({
    url: 'https://regulator.example',
    username: 'u',
    password: 'p',
    send: async () => ({ status, headers: new Headers(), text: '{"error":"no"}' }),
  });
  const error = await client
    .sendSection('token', 'CASE-1', 'design', '{}')
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(type);
  expect((error as DomainError).permanent).toBe(permanent);
});

it.each([
  [204, undefined],
  [401, undefined],
  [404, undefined],
  [429, RegulatorRateLimited],
  [500, RegulatorUnavailable],
  [503, RegulatorUnavailable],
])('a logout answered with %i fails if the session may still be valid', async (status, type) => {
  const client = createRegulatorClient({
    url: 'https://regulator.example',
    username: 'u',
    password: 'p',
    send: async () => ({ status, headers: new Headers(), text: '' }),
  });
  const error = await client.logOut('token').catch((thrown: unknown) => thrown);
  if (type === undefined) expect(error).toBeUndefined();
  else expect(error).toBeInstanceOf(type);
});

it('a call that its caller ends fails with the reason of that', async () => {
  const client = createRegulatorClient({
    url: 'https://regulator.example',
    username: 'u',
    password: 'p',
    send: () => Promise.reject(new Error('aborted')),
  });
  const reason = new Error('the worker stops');
  const call = client.sendSection('token', 'CASE-1', 'design', '{}', { signal: AbortSignal.abort(reason) });
  await expect(call).rejects.toBe(reason);
});

it.each([301, 302, 303, 307, 308])('a redirect with %i is not followed', async (status) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  const client = createRegulatorClient({ url, username: 'u', password: 'p' });
  for (const [path, call] of [
    ['/session', () => client.logIn()],
    ['/session/renewal', () => client.renew('token')],
  ] as const) {
    asked.length = 0;
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RegulatorUnavailable);
    expect((error as Error).message).toContain('redirect, which is not followed: check REGULATOR_URL');
    expect(asked).toEqual([path]);
  }
});

const DAY_S = 24 * 60 * 60;
/** The regulator's clock may be wrong; its dates are read by it. */
const ITS_NOW = Date.parse('2031-05-06T07:08:09Z');
const itsDate = (seconds: number) => new Date(ITS_NOW + seconds * 1000).toUTCString();

async function failureOf(status: number, headers: OutgoingHttpHeaders): Promise<unknown> {
  const server = createServer((_request, response) => {
    response.sendDate = false;
    response.writeHead(status, headers).end('{"error":"not now"}');
  });
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  const client = createRegulatorClient({ url, username: 'u', password: 'p' });
  return client.renew('token').catch((error: unknown) => error);
}

it.each<[string, OutgoingHttpHeaders, number]>([
  ['seconds', { 'retry-after': '7' }, 7],
  ['zero seconds', { 'retry-after': '0' }, 1],
  ['a date', { 'retry-after': itsDate(90), date: itsDate(0) }, 90],
  ['a date that has passed', { 'retry-after': itsDate(-90), date: itsDate(0) }, 1],
  ['a time beyond all sense', { 'retry-after': '99999999' }, DAY_S],
  ['nonsense', { 'retry-after': 'soon' }, 5],
  ['nothing', {}, 5],
])('429 with %s', async (_what, headers, seconds) => {
  const error = await failureOf(429, headers);
  expect(error).toBeInstanceOf(RegulatorRateLimited);
  expect((error as RegulatorRateLimited).retryAfterSeconds).toBe(seconds);
});

it('429 with a date, from a regulator without a Date header', async () => {
  const date = new Date(Date.now() + 60_000).toUTCString();
  const error = (await failureOf(429, { 'retry-after': date })) as RegulatorRateLimited;
  expect(error.retryAfterSeconds).toBeGreaterThan(50);
  expect(error.retryAfterSeconds).toBeLessThanOrEqual(60);
});

it.each<[OutgoingHttpHeaders, number | undefined]>([
  [{ 'retry-after': '120' }, 120],
  [{}, undefined],
])('503 with %o', async (headers, seconds) => {
  const error = await failureOf(503, headers);
  expect(error).toBeInstanceOf(RegulatorUnavailable);
  expect((error as RegulatorUnavailable).retryAfterSeconds).toBe(seconds);
});

const MIB = 1024 * 1024;
/** More than the buffers of both ends hold. */
const SIZE = 24 * MIB;
/** Far more than a busy machine keeps a process from running. */
const TIMEOUT_MS = 1_500;

/** @param take what the regulator does with the body before it answers */
async function send(take: (request: IncomingMessage) => Promise<void>, minBytesPerSecond?: number) {
  let received = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    request.on('error', () => {});
    request.pause();
    void take(request).then(() => response.end(JSON.stringify({ attachment_id: 'a' })));
  });
  const client = createRegulatorClient({
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    username: 'u',
    password: 'p',
    timeoutMs: TIMEOUT_MS,
    ...(minBytesPerSecond !== undefined && { minBytesPerSecond }),
  });
  const begun = Date.now();
  const content = async () => Readable.from(pieces(), { objectMode: false });
  const details = {
    attachmentId: 'a',
    fileName: 'a.pdf',
    contentType: 'application/pdf',
    confidential: false,
  };
  const error = await client
    .sendAttachment('token', 'CASE-1', { ...details, sizeBytes: SIZE, sha256: '0'.repeat(64), content })
    .then(
      () => null,
      (thrown: Error) => thrown,
    );
  return { error, received, ms: Date.now() - begun };
}

function* pieces(): Generator<Buffer> {
  for (let at = 0; at < SIZE; at += MIB) yield Buffer.alloc(MIB);
}

/** Takes a twelfth of the body, now and then. */
const slowly = (everyMs: number) => async (request: IncomingMessage) => {
  let taken = 0;
  request.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    if (taken >= SIZE / 12) request.pause();
  });
  while (!request.readableEnded && !request.destroyed) {
    taken = 0;
    request.resume();
    await sleep(everyMs);
  }
};

describe('an attachment', () => {
  it('is sent without a time limit while bytes are accepted', async () => {
    const { error, received, ms } = await send(slowly(200));
    expect(error).toBeNull();
    expect(received).toBe(SIZE);
    expect(ms).toBeGreaterThan(TIMEOUT_MS);
  });

  it('is given up when nothing is accepted any more', async () => {
    const { error, ms } = await send(() => new Promise(() => {}));
    expect(error).toBeInstanceOf(RegulatorUnavailable);
    expect(error?.message).toContain('it accepted no data for 1500 ms');
    expect(ms).toBeLessThan(10 * TIMEOUT_MS);
  });

  it('is given up when it was sent without an answer', async () => {
    const { error } = await send(async (request) => {
      request.resume();
      await new Promise(() => {});
    });
    expect(error?.message).toMatch(/the file was sent, but there was no answer for \d+ ms/);
  });

  it('is given up below the minimum throughput', async () => {
    const { error } = await send(slowly(400), 100 * MIB);
    expect(error?.message).toMatch(/sending \d+ bytes took longer than \d+ ms/);
  });
});

describe('the time for the answer to a sent file', () => {
  const IDLE_MS = 1_000;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is a second more for each 10 MiB, and no longer', async () => {
    const upload = watchUpload(Readable.from([Buffer.from('the last piece')]), 100 * MIB, {
      idleMs: IDLE_MS,
      minBytesPerSecond: MIB,
    });
    await Array.fromAsync(upload.body);
    vi.advanceTimersByTime(IDLE_MS + 10_000 - 1);
    expect(upload.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(upload.signal.reason).toMatchObject({
      message: 'the file was sent, but there was no answer for 11000 ms',
    });
    upload.end();
  });

  it('is a whole number of milliseconds in messages', async () => {
    const upload = watchUpload(Readable.from([Buffer.from('the last piece')]), 1_000_000, {
      idleMs: IDLE_MS,
      minBytesPerSecond: 30_000_000,
    });
    vi.advanceTimersByTime(IDLE_MS - 1);
    await Array.fromAsync(upload.body);
    vi.advanceTimersByTime(IDLE_MS);
    expect(upload.signal.reason).toMatchObject({
      message: 'sending 1000000 bytes took longer than 1034 ms',
    });
    upload.end();
  });
});
