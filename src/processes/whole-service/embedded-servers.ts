/** The embedded third-party servers: PostgreSQL and Temporal, each if it is not configured. */
import { join } from 'node:path';
import { LOCALHOST } from '../../common/loopback.ts';
import type { Config } from '../../config/index.ts';
import type { RunningPart } from '../shared/parts.ts';
import { startKeeper } from './keeper.ts';
import type { KeepOptions } from './keeper-process.ts';

/** Resolves when the needed servers answer. @throws with the reason if one of them does not start */
export async function keepEmbeddedServers(
  config: Config,
  progress: (line: string) => void,
): Promise<RunningPart> {
  const options = { cacheDir: config.cacheDir, postgres: postgresOf(config), temporal: temporalOf(config) };
  if (!options.postgres && !options.temporal) return { close: async () => {} };
  progress('Starting PostgreSQL and Temporal …');
  return startKeeper(options, progress);
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
