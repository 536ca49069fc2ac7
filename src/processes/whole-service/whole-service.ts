/** The whole service on one machine, for `npm start`: gateway, workers, and embedded parts for systems not configured. */
import { mkdir } from 'node:fs/promises';
import { onStopSignal } from '../../common/stop-signals.ts';
import { type Config, configOfThisProcess } from '../../config/index.ts';
import { migrate } from '../../database/migrations.ts';
import type { Mailbox } from '../../trial-parts/mailbox/mailbox.ts';
import { autoLogin } from '../../trial-parts/regulator-simulator/simulator.ts';
import { ensurePage } from '../gateway/page.ts';
import {
  startEmbeddedIdentityService,
  startEmbeddedMailbox,
  startEmbeddedRegulator,
} from '../shared/embedded.ts';
import { createSessions, openConfiguredDatabase } from '../shared/parts.ts';
import { announce, fail, NODE_OPTIONS, type RunningPart } from '../shared/program.ts';
import {
  type Address,
  addressesOf,
  gatewayUrlOf,
  requireFreePorts,
  workerHealthPortOf,
} from './addresses.ts';
import { keepEmbeddedServers } from './embedded-servers.ts';
import { supervise } from './supervise.ts';

export interface WholeService {
  addresses: Address[];
  gatewayUrl: string;
  /** The token endpoint. Null if it is not known. */
  tokenUrl: string | null;
  /** The embedded mailbox. Null if a mail server is configured. */
  mailbox: Mailbox | null;
  stop(): Promise<void>;
}

/**
 * Starts all parts in the order of their dependencies, and resolves when uploads are accepted.
 *
 * @param env of the gateway and the workers
 * @param interrupted ends the start
 * @throws with the reason, after it has stopped the parts that had been started
 */
async function startWholeService(
  config: Config,
  env: NodeJS.ProcessEnv,
  progress: (line: string) => void,
  interrupted = new AbortController().signal,
): Promise<WholeService> {
  const parts = new AsyncDisposableStack();
  const stop = () => parts.disposeAsync();
  /** @param title null for a part that announces itself */
  const begin = async <T extends RunningPart>(title: string | null, start: () => Promise<T>): Promise<T> => {
    interrupted.throwIfAborted();
    if (title !== null) progress(`Starting ${title} …`);
    const starting = start();
    // Waits for a part that is still starting. One that failed to start has nothing to stop.
    parts.defer(() =>
      starting.then(
        (part) => part.close(),
        () => {},
      ),
    );
    return starting;
  };
  try {
    await mkdir(config.dataDir, { recursive: true }).catch((error: Error) => {
      throw new Error(`${error.message}: set DATA_DIR to a folder that you may write.`);
    });
    await requireFreePorts(config, progress, interrupted);
    const mailbox = config.mail.embedded
      ? await begin('the mailbox', () => startEmbeddedMailbox(config))
      : null;
    await Promise.all([
      begin(null, () => keepEmbeddedServers(config, progress, interrupted)),
      config.auth.embedded && begin('the identity service', () => startEmbeddedIdentityService(config)),
      config.regulator.embedded && begin('the regulator simulator', () => startEmbeddedRegulator(config)),
      ensurePage(config.cacheDir, progress, interrupted).catch((error: Error) => {
        interrupted.throwIfAborted();
        progress(`The web page is not available: ${error.message}`);
      }),
    ]);
    progress('Migrating the database …');
    await migrate(config.database.url);
    if (config.regulator.embedded) {
      progress('Logging in with the regulator …');
      await logIn(config);
    }
    const supervised = (name: 'worker' | 'gateway', graceMs: number, variables = env) =>
      supervise({
        name,
        program: new URL(`../${name}.ts`, import.meta.url),
        env: variables,
        execArgv: NODE_OPTIONS,
        graceMs,
        interrupted,
        progress,
      });
    const ofWorker = { ...env, HEALTH_PORT: String(workerHealthPortOf(config)) };
    // Stopped in reverse order: the gateway finishes its uploads while workers can still process them.
    await Promise.all([
      begin('the workers, usually in ten seconds', () =>
        supervised('worker', config.shutdownGraceMs, ofWorker),
      ),
      begin('the gateway', () => supervised('gateway', config.gateway.uploadGraceMs)),
    ]);
    return {
      addresses: addressesOf(config),
      gatewayUrl: gatewayUrlOf(config),
      tokenUrl: config.auth.tokenUrl,
      mailbox,
      stop,
    };
  } catch (error) {
    await stop();
    const { message } = error as Error;
    if (!/ENOSPC|no space left on device/i.test(message)) throw error;
    const { dataDir, cacheDir } = config;
    throw new Error(
      `${message.trim()}\nThe disk is full: free space for ${dataDir} and ${cacheDir}, or set DATA_DIR and XDG_CACHE_HOME to folders on another disk.`,
    );
  }
}

/** Logs in with the embedded simulator, which reveals its verification code. */
export async function logIn(config: Config): Promise<void> {
  const database = await openConfiguredDatabase(config, []);
  try {
    await autoLogin(createSessions(config, database), config.regulator.url);
  } finally {
    await database.close();
  }
}

/** The exit code of a shell after SIGINT. */
const INTERRUPTED = 130;

/**
 * Starts the whole service with the configuration of this process, uses it, stops it, and ends the process. After a
 * failure, prints the reason and ends with 1.
 *
 * @param use the service stops once it has resolved; `stopped` resolves on Ctrl-C
 * @param defaults variables of the gateway and the workers that the environment does not set
 */
export async function runInForeground(
  use: (service: WholeService, stopped: Promise<void>) => Promise<void>,
  defaults: NodeJS.ProcessEnv = {},
): Promise<never> {
  const stopped = new Promise<void>((resolve) => onStopSignal(() => resolve()));
  const interrupted = new AbortController();
  void stopped.then(() => {
    announce('Stopping …');
    interrupted.abort();
  });
  try {
    const config = configOfThisProcess('whole service');
    const env = { ...defaults, ...process.env };
    const service = await startWholeService(config, env, announce, interrupted.signal);
    try {
      await use(service, stopped);
    } finally {
      if (!interrupted.signal.aborted) announce('Stopping …');
      await service.stop();
    }
    process.exit(0);
  } catch (error) {
    if (interrupted.signal.aborted) process.exit(INTERRUPTED);
    fail(error);
  }
}

export function announceAddresses(addresses: readonly Address[]): void {
  for (const { title, url, note } of addresses) announce(`  ${title.padEnd(20)} ${url}  ${note}`.trimEnd());
}
