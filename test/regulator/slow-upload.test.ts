/** A large attachment over a slow line, scaled down: what counts is that something moves. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RegulatorUnavailable } from '../../src/domain/client-errors.ts';
import { createRegulatorClient } from '../../src/regulator/http-client.ts';
import { listenLocally } from '../support/local-server.ts';

const MIB = 1024 * 1024;
/** More than the buffers of both ends hold. */
const SIZE = 24 * MIB;
/** Far more than a busy machine keeps a process from running. */
const TIMEOUT_MS = 1_500;

/** @param take what the regulator does with the body before it answers */
async function send(take: (request: IncomingMessage) => Promise<void>, leastBytesPerSecond?: number) {
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
    ...(leastBytesPerSecond !== undefined && { leastBytesPerSecond }),
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

/** Takes some of the body, now and then. */
const slowly = (everyMs: number) => async (request: IncomingMessage) => {
  while (!request.readableEnded && !request.destroyed) {
    request.resume();
    await sleep(2);
    request.pause();
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
