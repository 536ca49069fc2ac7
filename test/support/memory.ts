/** Measures the resident memory of processes from outside. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SAMPLE_MS = 50;

/** In bytes, the sum over all processes. */
export interface MemoryWatch {
  readonly idle: number;
  /** The highest measured value. */
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

/** @throws when none of the processes exists: a sum of 0 would be within any limit */
async function residentBytes(pids: readonly number[]): Promise<number> {
  const total = (await bytesOfEach(pids)).reduce((sum, bytes) => sum + bytes, 0);
  if (total === 0) throw new Error(`none of the processes ${pids.join(', ')} is there any more`);
  return total;
}

/** 0 for an ended process. Reads files where the system has them: a program would take time from the measured processes. */
async function bytesOfEach(pids: readonly number[]): Promise<number[]> {
  if (existsSync('/proc/self/status')) return Promise.all(pids.map(bytesIn));
  // `ps` fails when no process exists any more.
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

/** In bytes, for each process in the given order. */
export interface EachMemoryWatch {
  readonly idle: readonly number[];
  /** The highest measured values. */
  readonly peak: readonly number[];
  stop(): Promise<void>;
}

/** Measures less often than `watchMemory`: it runs for hours, beside other work. */
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
