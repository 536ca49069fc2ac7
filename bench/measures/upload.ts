/** Streaming a large ZIP into the storage: time, and memory of the gateway while it happens. */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { watchMemory } from '../../test/support/memory.ts';
import { seconds } from '../figure.ts';
import type { Measure } from '../measure.ts';
import { pidOf } from '../processes.ts';

const MB = 1024 * 1024;

export const upload: Measure = {
  name: 'upload',
  async prepare(service, { uploadMb }) {
    const path = join(service.directory, 'large.zip');
    await fill(path, uploadMb);
    const bare = await bareServer(join(service.directory, 'bare'));
    const url = `${service.gatewayUrl}/regulator/package-import`;
    const gateway = await pidOf(service.pid, 'gateway');
    return {
      async round() {
        const floor = await seconds(() => send(bare.url, path, '', 200));
        const memory = await watchMemory([gateway]);
        const token = await service.token();
        const ours = await seconds(() => send(url, path, token, 500));
        await memory.stop();
        return [
          {
            name: `upload of ${uploadMb} MB`,
            unit: 's',
            value: ours,
            floor,
            floorIs: 'a bare server that writes the body of the request to a file',
            target: { of: 'ratio', atMost: 1.15 },
          },
          {
            name: `memory of the gateway during it`,
            unit: 'MB',
            value: memory.peak() / MB,
            floor: memory.idle / MB,
            floorIs: 'the same process before: 1 is flat',
          },
        ];
      },
      close: () => bare.close(),
    };
  },
};
/** Bytes that are no archive: the answer comes as soon as they are stored and looked at. */
async function fill(path: string, megabytes: number): Promise<void> {
  const file = await open(path, 'w');
  const block = Buffer.alloc(1024 * 1024, 'not a package ');
  for (let index = 0; index < megabytes; index += 1) await file.write(block);
  await file.close();
}

async function send(url: string, path: string, token: string, expected: number): Promise<void> {
  // As long as those of clients: a search for it goes on by its length.
  const boundary = `------------------------${randomUUID().replaceAll('-', '').slice(0, 22)}`;
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
