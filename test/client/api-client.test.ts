/** Requests of the client on the wire, and its handling of answers. A recording server listens. */

import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createApiClient, type Upload } from '../../cli/client/api-client.ts';
import { ApiError, FileChanged, isTemporary, Unreachable } from '../../cli/client/errors.ts';
import { followImport } from '../../cli/client/follow-import.ts';
import type { ClientOptions } from '../../cli/client/options.ts';
import { packageImportsOf } from '../../cli/client/package-imports.ts';
import type { Retry } from '../../src/common/retrying.ts';
import { eventually } from '../support/eventually.ts';
import { answer, type FakeService, startFakeService } from '../support/fake-service.ts';
import { listenLocally } from '../support/local-server.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const SOON = { attempts: 4, firstPauseMs: 5, longestPauseMs: 10 };
const UPLOAD = '/regulator/package-import';

const clientOf = (service: FakeService, options: Partial<ClientOptions> = {}) =>
  createApiClient({ ...service.client, retries: SOON, ...options });

async function someFile(sizeBytes: number): Promise<Upload & { content: Buffer }> {
  const path = join(await temporaryDirectory(), 'package.zip');
  const content = randomBytes(sizeBytes);
  await writeFile(path, content);
  return { path, fileName: 'package.zip', sizeBytes, fields: {}, idempotencyKey: 'the-key', content };
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('an incomplete answer', () => {
  it('is a temporary error', async () => {
    const service = await startFakeService(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"status":"success","message":"x","data":{"submissions":[', () => response.destroy());
    });
    const error = await clientOf(service)
      .call('getInserting')
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(Unreachable);
    expect(isTemporary(error)).toBe(true);
  });

  it('is a temporary error while its text is read', async () => {
    const service = await startFakeService(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('import_id\r\n7\r\n', () => response.destroy());
    });
    const csv = await packageImportsOf(clientOf(service)).csv(7, 'products');
    const error = await Array.fromAsync(csv).catch((reason) => reason);
    expect(error).toBeInstanceOf(Unreachable);
    expect(isTemporary(error)).toBe(true);
  });
});

describe('an upload', () => {
  it('is sent completely, with its length, after 100 Continue', async () => {
    let received = new FormData();
    const service = await startFakeService(async ({ request, response, readBody }) => {
      const body = await readBody();
      const { 'content-type': type = '', 'content-length': length } = request.headers;
      expect(Number(length)).toBe(body.length);
      received = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
      answer(response, 200, 'Imported.', { data: { id: 7 } });
    });
    const file = await someFile(3_000_000);
    const progress: number[] = [];
    const result = await clientOf(service, { userAgent: 'test/1' }).upload(UPLOAD, {
      ...file,
      fields: { comment: 'spring' },
      onProgress: (sent) => progress.push(sent),
    });
    expect(result).toMatchObject({ status: 200, message: 'Imported.', data: { id: 7 } });
    expect(service.requests).toMatchObject([
      {
        method: 'POST',
        path: UPLOAD,
        headers: {
          expect: '100-continue',
          authorization: 'Bearer token-1',
          'idempotency-key': 'the-key',
          'user-agent': 'test/1',
        },
      },
    ]);
    expect(received.get('comment')).toBe('spring');
    const sent = new Uint8Array(await (received.get('file') as File).arrayBuffer());
    expect(digest(sent)).toBe(digest(file.content));
    expect(progress.at(-1)).toBe(3_000_000);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.length).toBeGreaterThan(5);
  });

  it('is refused before its body is sent', async () => {
    let bytes = 0;
    const service = await startFakeService(({ request, response }) => {
      answer(response, 412, 'A session is required.', { data: { regulator_session_message: 'None.' } });
      request.socket.once('close', () => {
        bytes = request.socket.bytesRead;
      });
    });
    const upload = clientOf(service).upload(UPLOAD, await someFile(3_000_000));
    await expect(upload).rejects.toMatchObject({
      service: 'gateway',
      status: 412,
      message: 'A session is required.',
      data: { regulator_session_message: 'None.' },
    });
    await eventually(async () => bytes > 0);
    expect(bytes).toBeLessThan(2_000);
    expect(service.requests).toHaveLength(1);
  });

  it('is sent to a server without 100 Continue, too', async () => {
    const service = await startFakeService(() => {});
    const asked = Promise.withResolvers<void>();
    const silent = createServer((socket) => {
      let missing = 100_000;
      socket.on('data', (chunk) => {
        asked.resolve();
        const body = '{"status":"success","message":"Got it."}';
        const isLast = missing > 0 && missing <= chunk.length;
        missing -= chunk.length;
        if (isLast) socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });
    const client = clientOf(service, { gatewayUrl: `http://127.0.0.1:${await listenLocally(silent)}` });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const upload = client.upload(UPLOAD, await someFile(100_000));
    await asked.promise;
    vi.advanceTimersByTime(5_000);
    expect((await upload).message).toBe('Got it.');
  });

  it('ends when the answer comes before its end', async () => {
    const service = await startFakeService(({ request, response }) => {
      response.writeContinue();
      request.once('data', () => answer(response, 413, 'Too large.', { headers: { connection: 'close' } }));
    });
    const upload = clientOf(service).upload(UPLOAD, await someFile(30_000_000));
    await expect(upload).rejects.toMatchObject({ status: 413, message: 'Too large.' });
  });

  it('is repeated under the same key when its answer was lost or no connection was possible', async () => {
    const bodies: string[] = [];
    const service = await startFakeService(async ({ request, response, readBody }, number) => {
      const body = await readBody();
      const { 'content-type': type = '' } = request.headers;
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
      bodies.push(digest(new Uint8Array(await (form.get('file') as File).arrayBuffer())));
      if (number === 1) request.socket.destroy();
      else if (number === 2) answer(response, 503, 'Not now.', { headers: { 'retry-after': '0' } });
      else answer(response, 200, 'Imported.');
    });
    const file = await someFile(1_000_000);
    const retries: Retry[] = [];
    const client = clientOf(service, { onRetry: (retry) => retries.push(retry) });
    expect((await client.upload(UPLOAD, file)).message).toBe('Imported.');
    expect(service.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array(3).fill('the-key'),
    );
    expect(bodies).toEqual(Array(3).fill(digest(file.content)));
    expect(retries.map(({ error }) => error)).toEqual([expect.any(Unreachable), expect.any(ApiError)]);
  });

  it('is not repeated when the package is refused', async () => {
    const service = await startFakeService(({ response }) =>
      answer(response, 500, 'Invalid submission ZIP: it is empty', {
        data: { code: 'invalid_package', id: 7 },
      }),
    );
    const upload = clientOf(service).upload(UPLOAD, await someFile(1_000));
    await expect(upload).rejects.toMatchObject({
      message: 'Invalid submission ZIP: it is empty',
      code: 'invalid_package',
      data: { id: 7 },
    });
    expect(service.requests).toHaveLength(1);
  });

  it.each([1, -1])('fails when the file changed by %d byte', async (difference) => {
    const service = await startFakeService(async ({ readBody }) => {
      await readBody().catch(() => {});
    });
    const file = await someFile(600_000);
    const upload = clientOf(service).upload(UPLOAD, { ...file, sizeBytes: file.sizeBytes + difference });
    await expect(upload).rejects.toThrow(new FileChanged(file.path));
  });

  it('fails when the file cannot be read', async () => {
    const service = await startFakeService(async ({ readBody }) => {
      await readBody().catch(() => {});
    });
    const path = join(await temporaryDirectory(), 'gone.zip');
    const upload = clientOf(service).upload(UPLOAD, { path, fileName: 'gone.zip', sizeBytes: 5, fields: {} });
    await expect(upload).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    let closed = false;
    const service = await startFakeService(({ request, response }) => {
      response.writeContinue();
      request.once('data', () => stop.abort(reason));
      request.socket.once('close', () => {
        closed = true;
      });
    });
    const client = clientOf(service, { signal: stop.signal });
    await expect(client.upload(UPLOAD, await someFile(30_000_000))).rejects.toBe(reason);
    await eventually(async () => closed);
  });
});

describe('tokens', () => {
  const call = (service: FakeService) => {
    const client = clientOf(service);
    return () => client.call('getInserting');
  };

  it('are reused while they are valid, and requested once for concurrent calls', async () => {
    const service = await startFakeService(({ response }) => answer(response, 200, 'Yes.'));
    const ask = call(service);
    await Promise.all([ask(), ask()]);
    await ask();
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 3 }, () => 'Bearer token-1'),
    );
    expect(service.tokens).toHaveLength(1);
  });

  it('are replaced before they expire', async () => {
    const service = await startFakeService(({ response }) => answer(response, 200, 'Yes.'), 20);
    const ask = call(service);
    await ask();
    await ask();
    expect(service.tokens).toHaveLength(2);
  });

  it('are replaced once when they are refused', async () => {
    const service = await startFakeService(({ request, response }) => {
      const good = request.headers.authorization === 'Bearer token-2';
      answer(response, good ? 200 : 401, good ? 'Yes.' : 'The token has expired.');
    });
    expect((await call(service)()).message).toBe('Yes.');
  });

  it('are not replaced twice for one request', async () => {
    const service = await startFakeService(({ response }) => answer(response, 401, 'No.'));
    await expect(call(service)()).rejects.toMatchObject({ status: 401, message: 'No.' });
    expect(service.tokens).toHaveLength(2);
    const upload = clientOf(service).upload(UPLOAD, await someFile(1_000));
    await expect(upload).rejects.toMatchObject({ status: 401 });
  });
});

describe('answers', () => {
  it('with Retry-After are repeated after that time', async () => {
    const service = await startFakeService(({ response }, number) =>
      number === 1
        ? answer(response, 429, 'Slowly.', { headers: { 'retry-after': '0' } })
        : answer(response, 200, 'Yes.'),
    );
    expect((await clientOf(service).call('getInserting')).message).toBe('Yes.');
  });

  it('with a redirect are errors', async () => {
    const service = await startFakeService(({ response }) =>
      response.writeHead(308, { location: 'https://gateway.example/' }).end(),
    );
    await expect(clientOf(service).call('getInserting')).rejects.toThrow('https://gateway.example/');
    const upload = clientOf(service).upload(UPLOAD, await someFile(1_000));
    await expect(upload).rejects.toThrow('https://gateway.example/');
  });

  it('that do not come from a gateway are errors', async () => {
    const service = await startFakeService(({ response }) => response.end('<html>'));
    await expect(clientOf(service).call('getInserting')).rejects.toMatchObject({
      status: 200,
      message: `GET ${service.url}/regulator/inserting was answered with 200, but not by a gateway.`,
    });
  });

  it('that do not come are errors with the address', async () => {
    const service = await startFakeService(() => {});
    const gatewayUrl = 'http://127.0.0.1:1';
    const failing = clientOf(service, { gatewayUrl }).call('getInserting');
    await expect(failing).rejects.toMatchObject({
      service: 'gateway',
      url: `${gatewayUrl}/regulator/inserting`,
    });
    const tokenUrl = 'http://127.0.0.1:1/token';
    await expect(clientOf(service, { tokenUrl }).call('getInserting')).rejects.toMatchObject({
      service: 'identity service',
      url: tokenUrl,
    });
  });
});

describe('following an import', () => {
  const REPORT = '/regulator/package-imports/7';
  const SUMMARY = `${REPORT}?view=summary`;
  const summary = (inserted: number, completed: boolean) => ({
    progress: {
      local: 0,
      regulator_inserting: 2 - inserted,
      regulator_inserted: inserted,
      regulator_insert_failed: 0,
    },
    completed_at: completed ? '2026-01-31T12:00:00.000Z' : null,
  });

  it('requests only changes, survives outages, and ends with the products', async () => {
    const states = [
      summary(0, false),
      summary(0, false),
      null,
      summary(1, true),
      summary(1, true),
      summary(2, true),
    ];
    let etags = 0;
    const tags = new Map<string, string>();
    const service = await startFakeService(({ request, response }, number) => {
      if (request.url === REPORT) return answer(response, 200, 'Package import.', { data: 'the report' });
      const state = states[number - 1];
      if (!state) return answer(response, 502, 'Bad gateway.');
      const text = JSON.stringify(state);
      const etag = tags.get(text) ?? `"${++etags}"`;
      tags.set(text, etag);
      if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
      return answer(response, 200, 'Package import.', { data: state, headers: { etag } });
    });
    const seen: unknown[] = [];
    const outages: number[] = [];
    const ofClient: Retry[] = [];
    const client = clientOf(service, { onRetry: (retry) => ofClient.push(retry) });
    const last = await followImport(client, 7, {
      firstPauseMs: 5,
      onSummary: (state) => seen.push(state),
      onRetry: ({ next }) => outages.push(next),
    });
    expect(seen).toEqual(states.filter((state) => state !== null));
    expect(last).toBe('the report');
    expect(outages).toEqual([2]);
    expect(ofClient).toEqual([]);
    const asked = service.requests.map(({ path, headers }) => [path, headers['if-none-match']]);
    expect(asked).toEqual([
      [SUMMARY, undefined],
      ...['"1"', '"1"', '"1"', '"2"', '"2"'].map((tag) => [SUMMARY, tag]),
      [REPORT, undefined],
    ]);
  });

  it('polls less often while nothing changes', async () => {
    const askedAt: number[] = [];
    const service = await startFakeService(({ request, response }) => {
      const number = askedAt.push(performance.now());
      if (number >= 8) return answer(response, 200, 'Package import.', { data: summary(2, true) });
      if (request.headers['if-none-match']) return response.writeHead(304).end();
      return answer(response, 200, 'Package import.', {
        data: summary(0, false),
        headers: { etag: '"1"' },
      });
    });
    await followImport(clientOf(service), 7, { firstPauseMs: 20 });
    const pause = (n: number) => (askedAt[n] ?? 0) - (askedAt[n - 1] ?? 0);
    expect(pause(7)).toBeGreaterThan(3 * 20);
  });

  it('ends at once when the import does not exist', async () => {
    const service = await startFakeService(({ response }) => answer(response, 404, 'Not found.'));
    await expect(followImport(clientOf(service), 7)).rejects.toMatchObject({ status: 404 });
  });
});
