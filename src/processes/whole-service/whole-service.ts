/** Everything that `npm start` runs on one machine: our processes, and an embedded part for each that is not configured. */
import { mkdir } from 'node:fs/promises';
import { type Config, refuseEmbeddedOutside } from '../../config/index.ts';
import { migrate } from '../../database/index.ts';
import { autoLogin } from '../../local/auto-login.ts';
import type { Mailbox } from '../../local/mailbox/mailbox.ts';
import { requireFreePorts } from '../../local/servers/ports.ts';
import { ensurePage } from '../gateway/page.ts';
import { connectionsOfGateway } from '../shared/database-connections.ts';
import {
  startEmbeddedIdentityService,
  startEmbeddedMailbox,
  startEmbeddedRegulator,
} from '../shared/embedded.ts';
import { createSessions, openConfiguredDatabase, type RunningPart } from '../shared/parts.ts';
import { type Address, addressesOf, gatewayUrlOf, portsOf } from './addresses.ts';
import { keepEmbeddedServers } from './embedded-servers.ts';
import { type Supervised, supervise } from './supervise.ts';

export interface WholeService {
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

export type Progress = (line: string) => void;

/**
 * Starts everything, in the order in which one needs the other, and resolves when uploads are accepted.
 *
 * @param env of the gateway and the workers
 * @throws with the reason; whatever was started before is stopped then
 */
export async function startWholeService(
  config: Config,
  env: NodeJS.ProcessEnv,
  progress: Progress,
): Promise<WholeService> {
  refuseEmbeddedOutside(config);
  const { begin, stop } = createParts();
  try {
    await mkdir(config.dataDir, { recursive: true });
    await requireFreePorts(portsOf(config));
    const mailbox = config.mail.embedded ? await begin(startEmbeddedMailbox(config)) : null;
    await Promise.all([
      begin(keepEmbeddedServers(config, progress)),
      config.auth.embedded && begin(startEmbeddedIdentityService(config)),
      config.regulator.embedded && begin(startEmbeddedRegulator(config)),
      ensurePage(config.cacheDir, progress).catch((error: Error) =>
        progress(`There will be no web page: ${error.message}`),
      ),
    ]);
    progress('Migrating the database …');
    await migrate(config.database.url);
    if (config.regulator.autoLogin) {
      progress('Logging in with the regulator …');
      await logIn(config);
    }
    progress('Starting the workers and the gateway …');
    // Stopped in reverse: the gateway finishes its uploads while there are workers to process them.
    const [worker, gateway] = await Promise.all([
      begin(superviseProgram('worker', config, env, progress)),
      begin(superviseProgram('gateway', config, env, progress)),
    ]);
    return {
      addresses: addressesOf(config),
      gatewayUrl: gatewayUrlOf(config),
      tokenUrl: config.auth.tokenUrl,
      mailbox,
      pids: () => ({ gateway: gateway.pid(), worker: worker.pid() }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What runs, in the order in which it was begun; stopped in reverse, and not before its own start is over. */
function createParts() {
  const begun: Promise<RunningPart>[] = [];
  return {
    begin<T extends RunningPart>(starting: Promise<T>): Promise<T> {
      begun.push(starting);
      return starting;
    },
    async stop() {
      for (const starting of begun.splice(0).reverse()) {
        // What did not start has nothing to stop, and has told its reason to whoever began it.
        const part = await starting.catch(() => null);
        await part?.close();
      }
    },
  };
}

function superviseProgram(
  program: 'gateway' | 'worker',
  { shutdownGraceMs }: Config,
  env: NodeJS.ProcessEnv,
  progress: Progress,
): Promise<Supervised> {
  return supervise(program, {
    env,
    stopTimeoutMs: shutdownGraceMs + STOPPING_MS,
    onRestart: (code) => progress(`The ${program} ended (${code ?? 'killed'}); starting it again.`),
  });
}

/** Logs in with the embedded simulator, which gives its code away. */
export async function logIn(config: Config): Promise<void> {
  const database = await openConfiguredDatabase(config, connectionsOfGateway());
  try {
    await autoLogin(createSessions(config, database), config.regulator.url);
  } finally {
    await database.close();
  }
}
