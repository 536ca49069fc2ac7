/** The embedded third-party servers: PostgreSQL and Temporal, each if it is not configured. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOCALHOST } from '../../common/network.ts';
import type { Config } from '../../config/index.ts';
import type { RunningPart } from '../shared/program.ts';
import type { KeeperMessage, KeepOptions } from './keeper-process.ts';

/** Resolves when the needed servers answer. @throws with the reason if one of them does not start */
export async function keepEmbeddedServers(
  config: Config,
  progress: (line: string) => void,
  interrupted?: AbortSignal,
): Promise<RunningPart> {
  const options = { cacheDir: config.cacheDir, postgres: postgresOf(config), temporal: temporalOf(config) };
  if (!options.postgres && !options.temporal) return { close: async () => {} };
  return startKeeper(options, progress, interrupted);
}

function postgresOf({ dataDir, database }: Config): KeepOptions['postgres'] {
  if (!database.embedded) return null;
  const { username: user, password, pathname } = new URL(database.url);
  return {
    directory: join(dataDir, 'postgres'),
    host: LOCALHOST,
    port: database.port,
    user,
    password,
    databases: [pathname.slice(1)],
  };
}

function temporalOf({ dataDir, temporal }: Config): KeepOptions['temporal'] {
  if (!temporal.embedded) return null;
  const directory = join(dataDir, 'temporal');
  return {
    host: LOCALHOST,
    port: temporal.port,
    uiPort: temporal.uiPort,
    namespaces: [temporal.namespace],
    databaseFile: join(directory, 'temporal.db'),
    pidFile: join(directory, 'temporal.pid'),
  };
}

/**
 * Starts the keeper (`keeper-process.ts`) and resolves when its servers are ready.
 *
 * @param interrupted ends the start
 * @throws with the reason if one of them does not start
 */
export async function startKeeper(
  options: KeepOptions,
  progress: (line: string) => void,
  interrupted?: AbortSignal,
): Promise<RunningPart> {
  const child = fork(fileURLToPath(new URL('./keeper-process.ts', import.meta.url)), [], {
    // In its own process group, so that Ctrl-C in the terminal does not reach it.
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async () => {
    if (child.connected) child.disconnect();
    await exited;
  };
  interrupted?.addEventListener('abort', close, { once: true });
  const started = new Promise<void>((resolve, reject) => {
    child.on('message', (message: KeeperMessage) => {
      if (message.type === 'progress') progress(message.line);
      else if (message.type === 'ready') resolve();
      else reject(new Error(message.reason));
    });
    void exited.then(() =>
      reject(new Error('The process of the embedded PostgreSQL and Temporal ended during its start')),
    );
    child.send(options);
  });
  await started.catch(async (error) => {
    // One server may have started, and has to stop first.
    await close();
    throw error;
  });
  interrupted?.removeEventListener('abort', close);
  return { close };
}
