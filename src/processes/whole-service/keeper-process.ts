/**
 * A program that runs the embedded PostgreSQL and Temporal in a separate process. Ctrl-C in the terminal does not stop
 * them before the gateway and the workers have stopped. They end with their parent, however it ends.
 * `embedded-servers.ts` forks the program and sends its options over IPC. Other modules import its types only.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalServer } from '../../trial-parts/servers/local-server.ts';
import { type PostgresOptions, startPostgres } from '../../trial-parts/servers/postgres.ts';
import { startTemporalServer, type TemporalServerOptions } from '../../trial-parts/servers/temporal.ts';
import { findTemporalBinary } from '../../trial-parts/servers/temporal-binary.ts';

export interface KeepOptions {
  cacheDir: string;
  postgres: PostgresOptions | null;
  temporal: Omit<TemporalServerOptions, 'binary'> | null;
}

export type KeeperMessage =
  | { type: 'progress'; line: string }
  | { type: 'ready' }
  | { type: 'failed'; reason: string };

/** Exponential backoff before an ended server is restarted. There is no last try: its disk may be full for some time. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A server that has run this long restarts with the first pause. */
const STABLE_MS = 60_000;

// Without a callback, an error of a parent that has ended would end this process before its servers.
const say = (message: KeeperMessage) => process.send?.(message, () => {});
const running = new Map<string, Promise<LocalServer>>();
let stopping = false;

async function keep(name: string, start: () => Promise<LocalServer>): Promise<void> {
  if (stopping) return;
  say({ type: 'progress', line: `Starting ${name} …` });
  const starting = start();
  running.set(name, starting);
  await starting;
  void watch(name, start);
}

/** Restarts a server that has ended although nobody stopped it here. */
async function watch(name: string, start: () => Promise<LocalServer>): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const since = Date.now();
    await running
      .get(name)
      ?.then(({ exited }) => exited)
      .catch(() => {});
    if (Date.now() - since > STABLE_MS) pause = FIRST_PAUSE_MS;
    await sleep(pause);
    if (stopping) return;
    say({ type: 'progress', line: `${name} has ended. Restarting it.` });
    const starting = start();
    running.set(name, starting);
    await starting.catch((error: Error) => say({ type: 'progress', line: error.message }));
  }
}

async function startAll({ postgres, temporal, cacheDir }: KeepOptions): Promise<void> {
  const keepTemporal = async (options: NonNullable<KeepOptions['temporal']>) => {
    const binary = await findTemporalBinary(cacheDir, (line) => say({ type: 'progress', line }));
    await keep('Temporal', () => startTemporalServer({ ...options, binary }));
  };
  await Promise.all([
    postgres && keep('PostgreSQL', () => startPostgres(postgres)),
    temporal && keepTemporal(temporal),
  ]);
}

/** Also stops a server that is still starting. The end of this process ends a download. */
async function stopAll(): Promise<void> {
  if (stopping) return;
  stopping = true;
  // Temporal stops first: no client may use a database that is gone.
  for (const name of ['Temporal', 'PostgreSQL']) {
    const server = await running.get(name)?.catch(() => null);
    await server?.stop();
  }
  process.exit(0);
}

// Ctrl-C is ignored, because only the parent stops the servers.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => void stopAll());
process.on('disconnect', () => void stopAll());
// Such as a program that the system cannot start. The servers must not outlive this process.
process.on('uncaughtException', (error) => {
  say({ type: 'failed', reason: error.message });
  if (stopping) process.exit(1);
  void stopAll();
});
process.once('message', (options: KeepOptions) => {
  startAll(options).then(
    () => say({ type: 'ready' }),
    (error: Error) => {
      say({ type: 'failed', reason: error.message });
      void stopAll();
    },
  );
});
