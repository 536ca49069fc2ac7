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

/** In bytes, of each process by itself, in the order in which they were given. */
export interface EachMemoryWatch {
  readonly idle: readonly number[];
  /** The most that was seen so far. */
  readonly peak: readonly number[];
  stop(): Promise<void>;
}

/** Looks less often than `watchMemory`: it is for hours, and beside much else. */
export async function watchEachMemory(pids: readonly number[]): Promise<EachMemoryWatch> {
  const look = async () => {
    // Fails when none of them is there any more.
    const { stdout } = await run('ps', ['-o', 'pid=,rss=', '-p', pids.join(',')]).catch(() => ({
      stdout: '',
    }));
    const sizes = new Map(
      stdout.split('\n').map((line): [number, number] => {
        const [pid = 0, kilobytes = 0] = line.trim().split(/\s+/).map(Number);
        return [pid, kilobytes * 1024];
      }),
    );
    return pids.map((pid) => sizes.get(pid) ?? 0);
  };
  const idle = await look();
  let peak = idle;
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      const now = await look();
      peak = peak.map((most, index) => Math.max(most, now[index] ?? 0));
      await sleep(SAMPLE_MS * 5);
    }
  })();
  return {
    idle,
    get peak() {
      return peak;
    },
    async stop() {
      stopped = true;
      await watching;
    },
  };
}
