/**
 * Keeps the embedded PostgreSQL and Temporal in a process of their own: a Ctrl-C in the terminal does not
 * reach them before the gateway and the workers are done, and however their parent ends, they end too.
 * A program: forked by `keeper.ts`, which tells it over IPC what to keep; nobody imports more than its types.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalServer } from '../../local/servers/local-server.ts';
import { type PostgresOptions, startPostgres } from '../../local/servers/postgres.ts';
import { startTemporalServer, type TemporalServerOptions } from '../../local/servers/temporal.ts';
import { findTemporalBinary } from '../../local/servers/temporal-binary.ts';

export interface KeepOptions {
  cacheDir: string;
  postgres: PostgresOptions | null;
  temporal: Omit<TemporalServerOptions, 'binary'> | null;
}

export type KeeperMessage =
  | { type: 'progress'; line: string }
  | { type: 'ready' }
  | { type: 'failed'; reason: string };

/** Before a server that has ended is started again: longer each time, but it is never given up. Its disk may be full. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A server that has run this long is started again with the first pause. */
const STABLE_MS = 60_000;

const say = (message: KeeperMessage) => process.send?.(message);
const running = new Map<string, LocalServer>();
let stopping = false;

async function keep(name: string, start: () => Promise<LocalServer>): Promise<void> {
  running.set(name, await start());
  void watch(name, start);
}

/** Starts a server again that was ended by others. */
async function watch(name: string, start: () => Promise<LocalServer>): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const since = Date.now();
    await running.get(name)?.exited;
    if (Date.now() - since > STABLE_MS) pause = FIRST_PAUSE_MS;
    await sleep(pause);
    if (stopping) return;
    say({ type: 'progress', line: `${name} has ended; starting it again` });
    try {
      running.set(name, await start());
    } catch (error) {
      say({ type: 'progress', line: (error as Error).message });
    }
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

async function stopAll(): Promise<void> {
  if (stopping) return;
  stopping = true;
  // Temporal first: nothing may talk to a database that is gone.
  await running.get('Temporal')?.stop();
  await running.get('PostgreSQL')?.stop();
  process.exit(0);
}

// Ctrl-C reaches the whole terminal; only the parent decides when the servers may go.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => void stopAll());
process.on('disconnect', () => void stopAll());
process.once('message', (options: KeepOptions) => {
  startAll(options).then(
    () => say({ type: 'ready' }),
    (error: Error) => {
      say({ type: 'failed', reason: error.message });
      void stopAll();
    },
  );
});
