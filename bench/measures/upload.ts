/** Streaming a large ZIP into the storage: time, and memory of the gateway while it happens. */
import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NODE_OPTIONS } from '../../src/processes/node-options.ts';
import { watchMemory } from '../../test/support/memory.ts';
import type { Measure } from '../measure.ts';
import { pidOf } from '../processes.ts';

const MB = 1024 * 1024;

const run = promisify(execFile);
const program = (name: string) => fileURLToPath(new URL(`../upload/${name}.ts`, import.meta.url));

export const upload: Measure = {
  name: 'upload',
  async prepare(service, { uploadMb }) {
    const path = join(service.directory, 'large.zip');
    await fill(path, uploadMb);
    const written = join(service.directory, 'bare');
    const bare = await startBareServer(written);
    const url = `${service.gatewayUrl}/regulator/package-import`;
    const gateway = await pidOf(service.pid, 'gateway');
    return {
      async round() {
        const floor = await secondsOfUpload(bare.url, path, '', 200);
        // Nobody waits for that one's disk, which would be busy with it during ours.
        await writeOut(written);
        const memory = await watchMemory([gateway]);
        const ours = await secondsOfUpload(url, path, await service.token(), 500);
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

/** Bytes that are no archive: the answer comes as soon as they are stored and looked at. Random, as those of an archive seem. */
async function fill(path: string, megabytes: number): Promise<void> {
  const file = await open(path, 'w');
  const block = randomBytes(MB);
  for (let index = 0; index < megabytes; index += 1) await file.write(block);
  await file.close();
  await writeOut(path);
}

async function writeOut(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

async function secondsOfUpload(url: string, path: string, token: string, expected: number): Promise<number> {
  const client = [...NODE_OPTIONS, program('client'), url, path, token, String(expected)];
  const { stdout } = await run(process.execPath, client);
  return Number(stdout);
}

async function startBareServer(path: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = fork(program('bare-server'), [path], { execArgv: [...NODE_OPTIONS] });
  const exited = once(server, 'exit');
  const [port] = await once(server, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.disconnect();
      await exited;
    },
  };
}
