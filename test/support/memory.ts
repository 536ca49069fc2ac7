/** Measures the resident memory of processes from outside. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MIB = 1024 * 1024;

export interface MemoryWatch {
  /** Bytes of each process at the beginning. */
  readonly idle: readonly number[];
  /** The highest measured bytes of each process. */
  readonly peak: readonly number[];
  /** Highest growth of all processes together, in MiB. @param idle bytes; by default those at the beginning */
  growthMib(idle?: number): number;
  stop(): Promise<void>;
}

/** @throws when none of the processes exists at the beginning: a growth of 0 would be within any limit */
export async function watchMemory(pids: readonly number[], sampleMs = 50): Promise<MemoryWatch> {
  const idle = await bytesOfEach(pids);
  const atBeginning = sum(idle);
  if (atBeginning === 0) throw new Error(`none of the processes ${pids.join(', ')} exists`);
  let peak = idle;
  let most = atBeginning;
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      const now = await bytesOfEach(pids);
      peak = peak.map((bytes, index) => Math.max(bytes, now[index] ?? 0));
      most = Math.max(most, sum(now));
      await sleep(sampleMs);
    }
  })();
  return {
    idle,
    get peak() {
      return peak;
    },
    growthMib: (from = atBeginning) => (most - from) / MIB,
    async stop() {
      stopped = true;
      await watching;
    },
  };
}

const sum = (all: readonly number[]) => all.reduce((total, bytes) => total + bytes, 0);

/**
 * 0 for an ended process. Reads files where the system has them: a program would take time from the measured processes.
 */
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
