/** Streaming a large ZIP into the storage: time, and memory of the gateway while it happens. */
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { watchMemory } from '../../test/support/memory.ts';
import { type Figure, inTurns, seconds } from '../figure.ts';
import type { Service } from '../service.ts';

const SIZE_MB = 256;
const ROUNDS = 3;
const MB = 1024 * 1024;

export async function upload(service: Service): Promise<Figure[]> {
  const path = join(service.directory, 'large.zip');
  await fill(path, SIZE_MB);
  const bare = await bareServer(join(service.directory, 'bare'));
  const url = `${service.gatewayUrl}/regulator/package-import`;
  const memory = await watchMemory([service.pids().gateway ?? Number.NaN]);
  try {
    const { ours, floor } = await inTurns(
      ROUNDS,
      () => seconds(async () => send(url, path, await service.token(), 500)),
      () => seconds(() => send(bare.url, path, '', 200)),
    );
    return [
      {
        name: `upload of ${SIZE_MB} MB`,
        ...{ ours, floor, unit: 's' as const },
        floorIs: 'a bare server that writes the request body to a file',
      },
      {
        name: `gateway's memory during it`,
        ours: memory.peak() / MB,
        floor: memory.idle / MB,
        unit: 'MB',
        floorIs: 'the same process before: 1 is flat',
      },
    ];
  } finally {
    await memory.stop();
    await bare.close();
  }
}

/** Bytes that are no archive: the answer comes as soon as they are stored and looked at. */
async function fill(path: string, megabytes: number): Promise<void> {
  const file = await open(path, 'w');
  const block = Buffer.alloc(1024 * 1024, 'not a package ');
  for (let index = 0; index < megabytes; index += 1) await file.write(block);
  await file.close();
}

async function send(url: string, path: string, token: string, expected: number): Promise<void> {
  const boundary = 'bench';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="large.zip"\r\n\r\n`;
  async function* body() {
    yield Buffer.from(head);
    yield* createReadStream(path, { highWaterMark: 256 * 1024 });
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body: ReadableStream.from(body()),
    duplex: 'half',
  } as RequestInit);
  await answer.text();
  if (answer.status !== expected) throw new Error(`${url} answered ${answer.status}`);
}

async function bareServer(path: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    await pipeline(request, createWriteStream(path));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
