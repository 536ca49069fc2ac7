/**
 * A program that runs the embedded PostgreSQL and Temporal in a separate process. Ctrl-C in the terminal does not stop
 * them before the gateway and the workers have stopped. They end with their parent, however it ends. If one of them
 * ends, the program stops the other one and ends too, and its supervisor starts it again. `embedded-servers.ts` starts
 * the program and sends its options over IPC. Other modules import its types only.
 */
import type { LocalServer } from '../../trial-parts/servers/local-server.ts';
import { type PostgresOptions, startPostgres } from '../../trial-parts/servers/postgres.ts';
import { startTemporalServer, type TemporalServerOptions } from '../../trial-parts/servers/temporal.ts';
import { findTemporalBinary } from '../../trial-parts/servers/temporal-binary.ts';
import type { ChildMessage } from '../shared/program.ts';
import type { ProgressMessage } from './supervise.ts';

export interface EmbeddedServersOptions {
  cacheDir: string;
  postgres: PostgresOptions | null;
  temporal: Omit<TemporalServerOptions, 'binary'> | null;
}

// Without a callback, an error of a parent that has ended would end this process before its servers.
const say = (message: ChildMessage | ProgressMessage) => process.send?.(message, () => {});
const tell = (line: string) => say({ type: 'progress', line });
const running = new Map<string, Promise<LocalServer>>();
let stopping = false;

async function run(name: string, start: () => Promise<LocalServer>): Promise<void> {
  if (stopping) return;
  tell(`Starting ${name} …`);
  const starting = start();
  running.set(name, starting);
  const { exited } = await starting;
  void exited.then(() => stopAll(`${name} has ended`));
}

async function runAll({ postgres, temporal, cacheDir }: EmbeddedServersOptions): Promise<void> {
  const runTemporal = async (options: NonNullable<EmbeddedServersOptions['temporal']>) => {
    const binary = await findTemporalBinary(cacheDir, tell);
    await run('Temporal', () => startTemporalServer({ ...options, binary }));
  };
  await Promise.all([
    postgres && run('PostgreSQL', () => startPostgres(postgres)),
    temporal && runTemporal(temporal),
  ]);
}

/**
 * Also stops a server that is still starting. The end of this process ends a download.
 *
 * @param failure null if the parent asks for it
 */
async function stopAll(failure: string | null): Promise<void> {
  if (stopping) return;
  stopping = true;
  if (failure !== null) say({ type: 'failed', reason: failure });
  // Temporal stops first: no client may use a database that is gone.
  for (const name of ['Temporal', 'PostgreSQL']) {
    const server = await running.get(name)?.catch(() => null);
    await server?.stop();
  }
  process.exit(failure === null ? 0 : 1);
}

// Ctrl-C is ignored, because only the parent stops the servers.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => void stopAll(null));
process.on('disconnect', () => void stopAll(null));
// The parent may have disconnected while the modules of this program were loaded.
if (!process.connected) await stopAll(null);
// Such as a program that the system cannot start. The servers must not outlive this process.
process.on('uncaughtException', (error) => {
  if (stopping) process.exit(1);
  void stopAll(error.message);
});
process.once('message', (options: EmbeddedServersOptions) => {
  runAll(options).then(
    () => say({ type: 'ready' }),
    (error: Error) => stopAll(error.message),
  );
});
