/** Everything that `npm start` runs on one machine: our processes, and an embedded part for each that is not configured. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { migrate } from '../database/index.ts';
import { autoLogin } from '../local/auto-login.ts';
import type { Mailbox } from '../local/mailbox/mailbox.ts';
import { requireFreePorts } from '../local/servers/ports.ts';
import { type Address, addressesOf, gatewayUrlOf, portsOf } from './addresses.ts';
import {
  LOCALHOST,
  startEmbeddedIdentityService,
  startEmbeddedMailbox,
  startEmbeddedRegulator,
} from './embedded.ts';
import { startKeeper } from './keeper.ts';
import type { KeepOptions } from './keeper-process.ts';
import { createSessions, openConfiguredDatabase } from './parts.ts';
import { type Supervised, supervise } from './supervise.ts';

export interface Stack {
  addresses: Address[];
  gatewayUrl: string;
  /** Null when the identity service is not ours. */
  tokenUrl: string | null;
  /** Null when the mails go elsewhere. */
  mailbox: Mailbox | null;
  /** Of our own processes, as they are now. */
  pids(): { gateway: number | undefined; worker: number | undefined };
  stop(): Promise<void>;
}

/** After its grace a process cancels what still runs, and closes what it has open. */
const STOPPING_MS = 15_000;

type Progress = (line: string) => void;
type Stop = () => Promise<void>;

/**
 * Starts everything, in the order in which one needs the other, and resolves when uploads are accepted.
 *
 * @throws with the reason; whatever was started before is stopped then
 */
export async function startStack(config: Config, env: NodeJS.ProcessEnv, progress: Progress): Promise<Stack> {
  const started: Stop[] = [];
  const stop = async () => {
    for (const part of started.splice(0).reverse()) await part();
  };
  let mailbox: Mailbox | null = null;
  let processes: { gateway?: Supervised; worker?: Supervised } = {};
  try {
    await mkdir(config.dataDir, { recursive: true });
    await requireFreePorts(portsOf(config));
    if (config.mail.embedded) {
      mailbox = await startEmbeddedMailbox(config);
      started.push(() => mailbox?.close() ?? Promise.resolve());
    }
    await Promise.all([
      keepServers(config, started, progress),
      config.auth.embedded && startPart(startEmbeddedIdentityService(config), started),
      config.regulator.embedded && startPart(startEmbeddedRegulator(config), started),
    ]);
    progress('Migrating the database …');
    await migrate(config.database.url);
    if (config.regulator.autoLogin) {
      progress('Logging in with the regulator …');
      await logIn(config);
    }
    progress('Starting the workers and the gateway …');
    const onRestart = (name: string, code: number | null) =>
      progress(`The ${name} ended (${code ?? 'killed'}); starting it again.`);
    const stopTimeoutMs = config.shutdownGraceMs + STOPPING_MS;
    const [worker, gateway] = await Promise.all([
      supervise('worker', { entry: '../bin/worker.ts', env, stopTimeoutMs, onRestart }),
      supervise('gateway', { entry: '../bin/gateway.ts', env, stopTimeoutMs, onRestart }),
    ]);
    processes = { worker, gateway };
    // Stopped in reverse: the gateway finishes its uploads while there are workers to process them.
    started.push(
      () => worker.stop(),
      () => gateway.stop(),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    addresses: addressesOf(config),
    gatewayUrl: gatewayUrlOf(config),
    tokenUrl: config.auth.embedded ? `${config.auth.issuer}/oauth2/token` : null,
    mailbox,
    pids: () => ({ gateway: processes.gateway?.pid(), worker: processes.worker?.pid() }),
    stop,
  };
}

async function startPart(starting: Promise<{ close(): Promise<void> }>, started: Stop[]): Promise<void> {
  const part = await starting;
  started.push(() => part.close());
}

async function keepServers(config: Config, started: Stop[], progress: Progress): Promise<void> {
  const options = keepOptions(config);
  if (!options.postgres && !options.temporal) return;
  progress('Starting PostgreSQL and Temporal …');
  const keeper = await startKeeper(options, progress);
  started.push(() => keeper.stop());
}

/** Logs in with the embedded simulator, which gives its code away. */
export async function logIn(config: Config): Promise<void> {
  const database = await openConfiguredDatabase(config);
  try {
    await autoLogin(createSessions(config, database), config.regulator.url);
  } finally {
    await database.close();
  }
}

function keepOptions({ dataDir, cacheDir, database, temporal }: Config): KeepOptions {
  const { username: user, password, pathname } = new URL(database.url);
  const databases = [pathname.slice(1)];
  const directory = join(dataDir, 'temporal');
  return {
    cacheDir,
    postgres: database.embedded
      ? {
          directory: join(dataDir, 'postgres'),
          host: LOCALHOST,
          port: database.port,
          user,
          password,
          databases,
        }
      : null,
    temporal: temporal.embedded
      ? {
          host: LOCALHOST,
          port: temporal.port,
          uiPort: temporal.uiPort,
          namespaces: [temporal.namespace],
          databaseFile: join(directory, 'temporal.db'),
          pidFile: join(directory, 'temporal.pid'),
        }
      : null,
  };
}
