/** Shared code of the embedded third-party servers (PostgreSQL, Temporal), which run as processes. */
import { type ChildProcess, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface LocalServer {
  /** Resolves when the process has ended for any reason. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 15_000;

/** Asks a process to end, kills it after a timeout, and waits until it has ended. */
export async function stopProcess(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill('SIGTERM');
  const insist = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(insist);
}

/**
 * Ends the leftover server of a killed parent, and waits until it has ended.
 *
 * @param marks texts that its command line must hold: a recycled pid must not be ended
 */
export async function endLeftover(
  pid: number,
  marks: string[],
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  if (!(pid > 0)) return;
  const command = await commandOf(pid);
  if (!marks.every((mark) => command.includes(mark))) return;
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  try {
    process.kill(pid, signal);
    while (Date.now() < deadline) {
      process.kill(pid, 0);
      await sleep(50);
    }
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/** The command line of a process; empty when there is none. By default, the `ps` of macOS cuts it to 79 characters. */
async function commandOf(pid: number): Promise<string> {
  const ps = () => promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() =>
    ps().then(
      ({ stdout }) => stdout,
      () => '',
    ),
  );
}
