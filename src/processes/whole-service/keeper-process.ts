/**
 * Keeps the embedded PostgreSQL and Temporal in a process of their own: a Ctrl-C in the terminal does not
 * reach them before the gateway and the workers are done, and however their parent ends, they end too.
 * A program: forked by `keeper.ts`, which tells it over IPC what to keep; nobody imports more than its types.
 */

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

/** A server that ends by itself this often within a minute is broken, not unlucky. */
const RESTARTS_PER_MINUTE = 5;

const say = (message: KeeperMessage) => process.send?.(message);
const running = new Map<string, LocalServer>();
let stopping = false;

async function keep(name: string, start: () => Promise<LocalServer>): Promise<void> {
  running.set(name, await start());
  void watch(name, start);
}

/** Starts a server again that was ended by others. */
async function watch(name: string, start: () => Promise<LocalServer>): Promise<void> {
  const restarts: number[] = [];
  for (;;) {
    await running.get(name)?.exited;
    if (stopping) return;
    restarts.push(Date.now());
    if (restarts.filter((time) => time > Date.now() - 60_000).length > RESTARTS_PER_MINUTE) {
      say({ type: 'failed', reason: `${name} keeps ending` });
      return;
    }
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
