/** How much resident memory processes take, seen from outside. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SAMPLE_MS = 50;

export interface MemoryWatch {
  /** Stops watching. Resolves with the bytes by which the processes together grew at most. */
  end(): Promise<number>;
}

export async function watchMemory(pids: readonly number[]): Promise<MemoryWatch> {
  const idle = await residentBytes(pids);
  let peak = idle;
  let ended = false;
  const watching = (async () => {
    while (!ended) {
      peak = Math.max(peak, await residentBytes(pids));
      await sleep(SAMPLE_MS);
    }
  })();
  return {
    async end() {
      ended = true;
      await watching;
      return peak - idle;
    },
  };
}

async function residentBytes(pids: readonly number[]): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', pids.join(',')]);
  return stdout.split('\n').reduce((sum, line) => sum + Number(line) * 1024, 0);
}
