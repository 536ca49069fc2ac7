/** The embedded third-party servers: PostgreSQL and Temporal, each if it is not configured. */
import { join } from 'node:path';
import { LOCALHOST } from '../../common/network.ts';
import type { Config } from '../../config/index.ts';
import type { RunningPart } from '../shared/program.ts';
import type { EmbeddedServersOptions } from './embedded-servers-process.ts';
import { supervise } from './supervise.ts';

/** Resolves when the needed servers answer. @throws with the reason if one of them does not start */
export async function keepEmbeddedServers(
  config: Config,
  progress: (line: string) => void,
  interrupted?: AbortSignal,
): Promise<RunningPart> {
  const options = { cacheDir: config.cacheDir, postgres: postgresOf(config), temporal: temporalOf(config) };
  if (!options.postgres && !options.temporal) return { close: async () => {} };
  return startEmbeddedServersProcess(options, progress, interrupted);
}

function postgresOf({ dataDir, database }: Config): EmbeddedServersOptions['postgres'] {
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

function temporalOf({ dataDir, temporal }: Config): EmbeddedServersOptions['temporal'] {
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

/** Time that the servers get to stop. */
const STOP_MS = 60_000;

/**
 * Starts the process of the embedded servers (`embedded-servers-process.ts`) and resolves when its servers are ready.
 *
 * @param interrupted ends the start
 * @throws with the reason if one of them does not start, after the other one has stopped
 */
export function startEmbeddedServersProcess(
  options: EmbeddedServersOptions,
  progress: (line: string) => void,
  interrupted = new AbortController().signal,
): Promise<RunningPart> {
  return supervise({
    name: 'process of the embedded PostgreSQL and Temporal',
    program: new URL('./embedded-servers-process.ts', import.meta.url),
    input: options,
    execArgv: [],
    detached: true,
    graceMs: STOP_MS,
    interrupted,
    progress,
  });
}
