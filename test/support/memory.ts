/** How much resident memory processes take, seen from outside. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SAMPLE_MS = 50;

/** In bytes, of all processes together. */
export interface MemoryWatch {
  readonly idle: number;
  /** The most that was seen so far. */
  peak(): number;
  stop(): Promise<void>;
}

export async function watchMemory(pids: readonly number[]): Promise<MemoryWatch> {
  const idle = await residentBytes(pids);
  let peak = idle;
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      peak = Math.max(peak, await residentBytes(pids));
      await sleep(SAMPLE_MS);
    }
  })();
  return {
    idle,
    peak: () => peak,
    async stop() {
      stopped = true;
      await watching;
    },
  };
}

async function residentBytes(pids: readonly number[]): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', pids.join(',')]);
  return stdout.split('\n').reduce((sum, line) => sum + Number(line) * 1024, 0);
}
