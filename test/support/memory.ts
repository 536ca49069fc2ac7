/** How much resident memory processes take, seen from outside. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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

/** @throws when none of them is there: nothing would be within any limit */
async function residentBytes(pids: readonly number[]): Promise<number> {
  const total = (await bytesOfEach(pids)).reduce((sum, bytes) => sum + bytes, 0);
  if (total === 0) throw new Error(`none of the processes ${pids.join(', ')} is there any more`);
  return total;
}

/** Of a process that has ended 0. Where the system has files that tell, no program is started: that takes time of those measured. */
async function bytesOfEach(pids: readonly number[]): Promise<number[]> {
  if (existsSync('/proc/self/status')) return Promise.all(pids.map(bytesIn));
  // Fails when none of them is there any more.
  const { stdout } = await run('ps', ['-o', 'pid=,rss=', '-p', pids.join(',')]).catch(() => ({ stdout: '' }));
  const sizes = new Map(
    stdout.split('\n').map((line): [number, number] => {
      const [pid = 0, kilobytes = 0] = line.trim().split(/\s+/).map(Number);
      return [pid, kilobytes * 1024];
    }),
  );
  return pids.map((pid) => sizes.get(pid) ?? 0);
}

async function bytesIn(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
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
  const look = () => bytesOfEach(pids);
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
