/** Decision §uploads: complete uploads, interrupted uploads, and no remains of an incomplete one. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { ArchiveStorage } from '../../src/archive/storage.ts';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import {
  BODY_END,
  chunk,
  fieldPart,
  fileStart,
  head,
  LAST_CHUNK,
  multipartBody,
  PART_END,
  uploadHeaders,
} from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

const MB = 1024 * 1024;
const LIMIT = 4 * MB;
const IDLE_MS = 1_000;

/** Faults of the storage, for one test each. */
const storage: { hold: Promise<void> | null; failure: Error | null } = { hold: null, failure: null };

/** The last request, as the gateway holds it until its answer. */
let held: { state: { upload?: object }; request: { body?: unknown } } = { state: {}, request: {} };

const gateway = await startGateway({
  limits: { maxUploadBytes: LIMIT, uploadIdleMs: IDLE_MS },
  change: (dependencies) => ({
    storage: faulty(dependencies.storage),
    observers: [
      (ctx, next) => {
        held = ctx;
        return next();
      },
    ],
  }),
});
afterEach(async () => {
  await gateway.clear();
  storage.hold = null;
  storage.failure = null;
  gateway.processing.run = async () => {};
});

function faulty(real: ArchiveStorage): ArchiveStorage {
  return {
    ...real,
    async put(key, source) {
      if (storage.failure) throw storage.failure;
      await storage.hold;
      return real.put(key, source);
    },
  };
}

/** Begins an upload with a body of so many bytes, and sends the first `bytes`. */
async function begin(length: number | 'chunked', bytes: string | Uint8Array): Promise<Connection> {
  const connection = await Connection.open(gateway.port);
  await connection.send(head(uploadHeaders(gateway.token, length)));
  await connection.send(bytes);
  return connection;
}

/** Sends a whole upload. */
async function status(body: Buffer, { chunked = false } = {}): Promise<number> {
  const connection = await begin(
    chunked ? 'chunked' : body.length,
    chunked ? Buffer.concat([chunk(body), Buffer.from(LAST_CHUNK)]) : body,
  );
  const answered = await connection.status();
  connection.destroy();
  return answered;
}

/** Waits until the gateway has finished every received request, and returns the end of the last one. */
async function lastEnd(after: number): Promise<Record<string, unknown>> {
  return eventually(async () => gateway.log.slice(after).find(({ msg }) => msg === 'request'));
}

async function expectNothingLeft(): Promise<void> {
  expect(await gateway.files()).toEqual([]);
  expect(gateway.imports).toEqual([]);
}

describe('the limit', () => {
  it.each([false, true])('is inclusive, and one more byte is too large (chunked: %s)', async (chunked) => {
    expect(await status(multipartBody(LIMIT), { chunked })).toBe(200);
    expect(gateway.imports[0]?.sizeBytes).toBe(LIMIT);
    await gateway.clear();
    expect(await status(multipartBody(LIMIT + 1), { chunked })).toBe(413);
    await expectNothingLeft();
  });

  it('counts only the file: text parts are extra', async () => {
    const comment = fieldPart('comment', 'c'.repeat(9_000)) + fieldPart('other', 'o'.repeat(60_000));
    expect(await status(multipartBody(LIMIT, { after: comment }))).toBe(200);
  });

  it('has no room for other text parts while the package is processed', async () => {
    const comment = fieldPart('comment', 'c') + fieldPart('other', 'o');
    const processing = gateway.holdProcessing();
    const answer = status(multipartBody(10, { after: comment }));
    await processing.begun;
    const { state, request } = held;
    processing.end();
    expect(await answer).toBe(200);
    expect(state.upload).toHaveProperty('fields', { comment: 'c' });
    expect(request.body).toBeUndefined();
  });

  it('allows the framing of a body 1 MiB, and no more', async () => {
    const framing = multipartBody(0).length;
    const epilogue = (bytes: number) => Buffer.concat([multipartBody(LIMIT), Buffer.alloc(bytes)]);
    expect(await status(epilogue(MB - framing))).toBe(200);
    expect(await status(epilogue(MB - framing + 1))).toBe(413);
    expect(await status(epilogue(MB - framing + 1), { chunked: true })).toBe(413);
  });

  it('ends an endless chunked upload', async () => {
    const connection = await begin('chunked', chunk(fileStart()));
    const part = chunk(Buffer.alloc(256 * 1024));
    let sent = 0;
    const isOver = () => connection.received.includes('HTTP/1.1 413') || connection.closed;
    while (!isOver() && sent < 100 * MB) {
      await Promise.race([connection.send(part), eventually(async () => isOver())]);
      sent += part.length;
    }
    expect(await connection.status()).toBe(413);
    expect(sent).toBeLessThan(60 * MB);
    await expectNothingLeft();
  });

  it('is answered at the first byte above it, while the client is silent', async () => {
    const body = Buffer.concat([Buffer.from(fileStart()), Buffer.alloc(LIMIT + 1)]);
    const connection = await begin(LIMIT + MB, body);
    // Detected later, it would be 408.
    expect(await connection.status()).toBe(413);
  });
});

describe('a slow client', () => {
  it('has no time limit while some bytes arrive', async () => {
    const body = multipartBody(12);
    const connection = await begin(body.length, body.subarray(0, -12));
    const started = performance.now();
    for (const byte of body.subarray(-12)) {
      await sleep(IDLE_MS / 5);
      await connection.send(Uint8Array.of(byte));
    }
    expect(performance.now() - started).toBeGreaterThan(2 * IDLE_MS);
    expect(await connection.status()).toBe(200);
  });

  it('has no deadline for the whole upload, unlike the default of Node', () => {
    const { requestTimeout, timeout, headersTimeout, keepAliveTimeout } = gateway.server.server;
    expect({ requestTimeout, timeout }).toEqual({ requestTimeout: 0, timeout: 0 });
    expect(headersTimeout).toBeGreaterThan(0);
    expect(keepAliveTimeout).toBeGreaterThan(60_000);
  });

  const whole = multipartBody(1_000, { after: fieldPart('comment', 'late') });
  it.each([
    ['before anything', 0],
    ['in the headers of a part', 20],
    ['in the file', 500],
    ['after the file', whole.indexOf('late') + 2],
    ['in the epilogue', whole.length - 1],
  ])('that is silent %s: 408, and nothing is left', async (_where, bytes) => {
    const connection = await begin(whole.length, whole.subarray(0, bytes));
    expect(await connection.status()).toBe(408);
    await connection.until(/No byte of the upload arrived for 1 s/);
    await connection.untilEnded();
    await expectNothingLeft();
  });

  it('is not refused while the storage accepts nothing', async () => {
    storage.hold = new Promise(() => {});
    const body = multipartBody(3 * MB);
    const connection = await Connection.open(gateway.port);
    await connection.send(head(uploadHeaders(gateway.token, body.length)));
    void connection.send(body);
    expect(await connection.status()).toBe(500);
    await connection.until(/archive storage accepted no data/);
  });
});

describe('a client that disappears', () => {
  const whole = multipartBody(200_000, { after: fieldPart('comment', 'late') });
  const places = {
    'before the file': 20,
    'in the file': 100_000,
    'after the file': whole.indexOf('late') + 2,
    'in the epilogue': whole.length - 1,
  };
  const ways = {
    'closing its side': (connection: Connection) => void connection.socket.end(),
    'closing all': (connection: Connection) => connection.destroy(),
    'by a reset': (connection: Connection) => connection.reset(),
  };

  for (const [place, bytes] of Object.entries(places)) {
    for (const [way, leave] of Object.entries(ways)) {
      it(`${place}, ${way}: no file and no row`, async () => {
        const seen = gateway.log.length;
        const connection = await begin(whole.length, whole.subarray(0, bytes));
        if (bytes > 200) await eventually(async () => (await gateway.files()).length > 0);
        leave(connection);
        expect(await lastEnd(seen)).toMatchObject({ status: 400 });
        await expectNothingLeft();
      });
    }
  }

  it.each(Object.keys(ways) as (keyof typeof ways)[])(
    'after the last byte, %s: the import continues without it',
    async (way) => {
      const processing = gateway.holdProcessing();
      const seen = gateway.log.length;
      const connection = await begin(whole.length, whole);
      await processing.begun;
      ways[way](connection);
      await eventually(async () => connection.closed || connection.socket.writableFinished);
      processing.end();
      expect(await lastEnd(seen)).toMatchObject({ status: 200 });
      expect(gateway.imports).toHaveLength(1);
      connection.destroy();
    },
  );

  it('with its last byte, while the storage is slow: the import is recorded, and answered to a listening client', async () => {
    const held = Promise.withResolvers<void>();
    storage.hold = held.promise;
    const connection = await begin(whole.length, whole);
    connection.socket.end();
    await eventually(async () => connection.socket.writableFinished);
    held.resolve();
    expect(await connection.status()).toBe(200);
    expect(gateway.imports).toHaveLength(1);
  });
});

describe('parts after the file', () => {
  it('are read like those before it', async () => {
    expect(await status(multipartBody(10, { after: fieldPart('comment', 'late') }))).toBe(200);
    expect(gateway.imports[0]?.comment).toBe('late');
  });

  const inUnknownCharset =
    '--frontier\r\nContent-Disposition: form-data; name="dry_run"\r\nContent-Type: text/plain; charset=windows-1250\r\n\r\ntrue\r\n';
  const tooMany = Array.from({ length: 51 }, (_, index) => fieldPart(`f${index}`, 'x')).join('');
  it.each([
    ['an invalid address', fieldPart('email', 'not an address')],
    ['a list of addresses without any', fieldPart('email', ', ,')],
    ['a second file', `${fileStart('b.zip')}b${PART_END}`],
    ['a second file of another name', `${fileStart('b.zip', 'other')}b${PART_END}`],
    ['a text part of more than 64 KB', fieldPart('comment', 'c'.repeat(64 * 1024 + 1))],
    ['a comment given twice', fieldPart('comment', 'a') + fieldPart('comment', 'b')],
    ['an address given as an object', fieldPart('email[x]', 'a@company.example')],
    ['a part with too long a name', fieldPart('n'.repeat(101), 'x')],
    ['a part with a broken header', '--frontier\r\nnonsense\r\n\r\nx\r\n'],
    ['a comment that is no text', fieldPart('comment', 'a\0b')],
    ['51 text parts', tooMany],
    ['a list with an absurd index', fieldPart('x[4294967294]', 'x')],
    ['a dry run that is neither true nor false', fieldPart('dry_run', 'perhaps')],
    ['a dry run in a charset that cannot be decoded', inUnknownCharset],
  ])('%s: 400, and the file is removed again', async (_what, after) => {
    expect(await status(multipartBody(1_000, { after }))).toBe(400);
    await expectNothingLeft();
  });

  it.each([
    ['a name from the prototype', fieldPart('__proto__[polluted]', 'x') + fieldPart('constructor', 'x')],
    ['a part with NUL', fieldPart('other', 'a\0b')],
  ])('%s is ignored like any unknown part', async (_what, after) => {
    expect(await status(multipartBody(10, { after }))).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('several blank addresses count as absent, like one', async () => {
    expect(await status(multipartBody(10, { after: fieldPart('email', '') + fieldPart('email', ' ') }))).toBe(
      200,
    );
    expect(gateway.imports).toHaveLength(1);
  });

  it('a missing end of the body: 400', async () => {
    const body = multipartBody(1_000);
    expect(await status(body.subarray(0, -BODY_END.length))).toBe(400);
    await expectNothingLeft();
  });
});

describe('an internal error', () => {
  it('of the storage: 500 without its message, and the gateway continues', async () => {
    storage.failure = new Error('ENOSPC: no space left on device, write /secret/place');
    const connection = await begin(3 * MB, multipartBody(2 * MB).subarray(0, 2 * MB));
    expect(await connection.status()).toBe(500);
    await connection.until(/Internal error/);
    expect(connection.received).not.toContain('ENOSPC');
    connection.destroy();
    storage.failure = null;
    expect(await status(multipartBody(10))).toBe(200);
  });
});

it('does not change stored bytes, in any pieces', async () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 31) % 251));
  const tricky = Buffer.concat([
    bytes,
    Buffer.from('\r\n--frontie\r\n--fronti-er\r\r\n--front\n--frontier'),
    bytes,
  ]);
  const body = Buffer.concat([Buffer.from(fileStart()), tricky, Buffer.from(PART_END + BODY_END)]);
  const connection = await begin('chunked', '');
  for (let at = 0, size = 1; at < body.length; at += size, size = (size * 7) % 9_973 || 1) {
    await connection.send(chunk(body.subarray(at, at + size)));
  }
  await connection.send(LAST_CHUNK);
  expect(await connection.status()).toBe(200);
  connection.destroy();
  const [path = ''] = await gateway.files();
  expect((await readFile(path)).equals(tricky)).toBe(true);
});
