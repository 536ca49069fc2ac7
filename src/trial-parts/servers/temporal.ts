/** A local Temporal server with its Web UI, on a database file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endLeftover, type LocalServer, stopProcess } from './local-server.ts';

export interface TemporalServerOptions {
  binary: string;
  host: string;
  port: number;
  /** Null for no Web UI. */
  uiPort: number | null;
  namespaces: readonly string[];
  /** Null for an in-memory database. */
  databaseFile: string | null;
  /** File with the process id, so that the next start can end a leftover server of a killed parent. */
  pidFile: string;
}

const READY_TIMEOUT_MS = 60_000;

/** Dynamic configuration that a Temporal server for this service needs (deploy/runbook.md). */
export const DYNAMIC_CONFIG = {
  // Off by default. One client's tasks do not wait behind all those of another (decision §fairness-keys).
  'matching.enableFairness': true,
  // Fairness holds only within a partition of a queue, and each partition costs the server time. The default is four.
  'matching.numTaskqueueWritePartitions': 1,
  'matching.numTaskqueueReadPartitions': 1,
  // The ends of a whole batch may arrive during one of its workflow tasks (decision §batches).
  'history.maximumBufferedEventsBatch': 1000,
} as const;

export async function startTemporalServer(options: TemporalServerOptions): Promise<LocalServer> {
  const { binary, host, port, uiPort, namespaces, databaseFile, pidFile } = options;
  if (databaseFile !== null) await mkdir(dirname(databaseFile), { recursive: true });
  await mkdir(dirname(pidFile), { recursive: true });
  const leftover = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  // After a restart of the machine the pid may be that of another checkout's server. Only a database file distinguishes
  // them.
  if (databaseFile !== null) await endLeftover(leftover, ['temporal', databaseFile]);
  const args = [
    ...['server', 'start-dev', '--ip', host, '--port', String(port), '--log-level', 'error'],
    ...(uiPort === null ? ['--headless'] : ['--ui-ip', host, '--ui-port', String(uiPort)]),
    ...namespaces.flatMap((namespace) => ['--namespace', namespace]),
    // Four to five times the throughput of the default (decision §one-command).
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
    ...(databaseFile === null ? [] : ['--db-filename', databaseFile]),
  ];
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4_000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('error', () => {});
  if (child.pid !== undefined) await writeFile(pidFile, String(child.pid));
  try {
    await untilListening(host, port, () => child.exitCode !== null || child.signalCode !== null);
  } catch (error) {
    await stopProcess(child, exited);
    throw new Error(
      `The Temporal server did not start on port ${port}: ${complaints.trim() || (error as Error).message}`,
    );
  }
  return {
    exited,
    async stop() {
      await stopProcess(child, exited);
      await rm(pidFile, { force: true });
    },
  };
}

async function untilListening(host: string, port: number, isOver: () => boolean): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && !isOver()) {
    if (await canConnect(host, port)) return;
    await sleep(50);
  }
  throw new Error(isOver() ? 'it ended during its start' : 'it does not answer');
}

async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  const answered = await once(socket, 'connect').catch(() => null);
  socket.destroy();
  return answered !== null;
}
