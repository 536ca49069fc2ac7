/** Streams a large ZIP into the storage: measures the time, and the gateway's memory during the upload. */
import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NODE_OPTIONS } from '../../src/processes/shared/program.ts';
import { watchMemory } from '../../test/support/memory.ts';
import { reading } from '../figure.ts';
import type { Measure } from '../measure.ts';
import { CAN_MEASURE_CPU, cpuOf, pidOf } from '../usage.ts';

const MB = 1024 * 1024;
const FLOOR_IS = 'a bare server that writes the body of the request to a file';

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
        const floor = await usageOfUpload(bare.pid, bare.url, path, '', 200);
        // This upload is flushed first: its writes would keep the disk busy during ours.
        await writeOut(written);
        const memory = await watchMemory([gateway]);
        const ours = await usageOfUpload(gateway, url, path, await service.client.accessToken(), 500);
        await memory.stop();
        const [idle = 0] = memory.idle;
        const [highest = 0] = memory.peak;
        const cpu = ours.cpu !== null && floor.cpu !== null && { value: ours.cpu, floor: floor.cpu };
        return [
          reading(`upload of ${uploadMb} MB`, 's', ours.seconds, {
            floor: floor.seconds,
            floorIs: FLOOR_IS,
            target: { of: 'ratio', atMost: 1.15 },
          }),
          ...(cpu
            ? [
                reading('CPU of the gateway during it', 'ms', cpu.value, {
                  floor: cpu.floor,
                  floorIs: FLOOR_IS,
                }),
              ]
            : []),
          reading('memory of the gateway during it', 'MB', highest / MB, {
            floor: idle / MB,
            floorIs: 'the same process before: 1 is flat',
          }),
        ];
      },
      close: () => bare.close(),
    };
  },
};

/**
 * Writes bytes that are no archive: the answer comes as soon as they are stored and checked. Random bytes,
 * since an archive does not compress either.
 */
async function fill(path: string, megabytes: number): Promise<void> {
  const file = await open(path, 'w');
  const block = randomBytes(MB);
  for (let index = 0; index < megabytes; index += 1) await file.write(block);
  await file.sync();
  await file.close();
}

async function writeOut(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

interface UploadUsage {
  seconds: number;
  /** CPU of the receiving server in milliseconds; null when it cannot be measured. */
  cpu: number | null;
}

async function usageOfUpload(
  server: number,
  url: string,
  path: string,
  token: string,
  expected: number,
): Promise<UploadUsage> {
  const client = [...NODE_OPTIONS, program('client'), url, path, token, String(expected)];
  const cpu = async () => (CAN_MEASURE_CPU ? cpuOf(server) : null);
  const before = await cpu();
  const { stdout } = await run(process.execPath, client);
  const after = await cpu();
  return { seconds: Number(stdout), cpu: after && before && after - before };
}

async function startBareServer(path: string): Promise<{ url: string; pid: number; close(): Promise<void> }> {
  const server = fork(program('bare-server'), [path], { execArgv: [...NODE_OPTIONS] });
  const exited = once(server, 'exit');
  const [port] = await once(server, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    pid: server.pid ?? 0,
    async close() {
      server.disconnect();
      await exited;
    },
  };
}
