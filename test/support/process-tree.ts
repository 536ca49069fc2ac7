/** The operating system's process tree, and signals to its processes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface ProcessEntry {
  pid: number;
  command: string;
}

/** Descendants of a process, without itself. Parents come before their children. */
export async function descendantsOf(pid: number | undefined): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const all = stdout.split('\n').flatMap((line) => {
    const [, own, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return own ? [{ pid: Number(own), parent: Number(parent), command }] : [];
  });
  const below = (parent: number | undefined): ProcessEntry[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}

/** Sends a signal. A process that has ended is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a process is listed, including a zombie. */
export function isListed(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
