/**
 * The whole service for one test file, with its own database, Temporal namespace, mailbox, simulator and identity
 * service. `startStack` runs its parts in the test's process, and more gateways and workers as processes. `npmStart`
 * runs `npm start` as a user does. Both end by themselves (`../cleanup.ts`).
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import { type ApiClient, createApiClient } from '../../../cli/client/api-client.ts';
import { type Config, loadConfig } from '../../../src/config/index.ts';
import { openDatabase } from '../../../src/database/index.ts';
import { startGateway } from '../../../src/processes/gateway/start-gateway.ts';
import {
  startEmbeddedIdentityService,
  startEmbeddedMailbox,
  startEmbeddedRegulator,
} from '../../../src/processes/shared/embedded.ts';
import { createSessions } from '../../../src/processes/shared/parts.ts';
import { gatewayUrlOf } from '../../../src/processes/whole-service/addresses.ts';
import { startWorkers } from '../../../src/processes/workers/start-workers.ts';
import { createClient } from '../../../src/temporal/connection.ts';
import { DEMO_CLIENT } from '../../../src/trial-parts/identity-service/identity-service.ts';
import { autoLogin } from '../../../src/trial-parts/regulator-simulator/simulator.ts';
import { CACHE_DIRECTORY } from '../cache-directory.ts';
import { afterEveryTest, atEnd, closing } from '../cleanup.ts';
import { eventually } from '../eventually.ts';
import { freePortOffset, freePorts } from '../free-ports.ts';
import { importsOf } from '../imports.ts';
import { clientOf, type NpmStartClient } from '../npm-start-client.ts';
import { descendantsOf, isListed, sendSignal } from '../process-tree.ts';
import { createTestDatabase, newNamespace, runSql, temporalOfTests } from '../servers.ts';
import { newServiceSettings } from '../service-settings.ts';
import type { StackParts } from '../stack-parts.ts';
import { launchStackProcess, type StackProcess, type StackProgram } from '../stack-process.ts';
import { startProgram } from '../start-program.ts';
import { temporaryDirectory } from '../temporary.ts';

export interface Stack extends StackParts {
  imports: ReturnType<typeof importsOf>;
  /** Closes the stack's own workers. @returns a function that starts them again */
  pauseWorkers(): Promise<() => Promise<void>>;
  /** @param differing changes of the stack's worker configuration */
  startWorkers(differing?: Partial<Config['worker']>): Promise<{ close(): Promise<void> }>;
  /** A second gateway. @param differing changes of the stack's configuration */
  startGateway(differing?: Partial<Config>): Promise<{ url: string; port: number; close(): Promise<void> }>;
  /** A gateway or a worker as a process beside the stack, which shares everything with it but memory. */
  startProcess(program: StackProgram, env?: Record<string, string>): Promise<StackProcess>;
}

export interface StackOptions {
  env?: Record<string, string>;
  /** Configuration values without a variable. */
  change?(config: Config): Partial<Config>;
  /** Without an active regulator session. */
  loggedOut?: boolean;
  /** Without workers; the test starts them itself. */
  withoutWorkers?: boolean;
  /** A migrated database on another server than that of the tests. */
  databaseUrl?: string;
  /** Turns the database URL into the one for gateway and workers: a line that the test can cut. */
  lineTo?(databaseUrl: string): Promise<string>;
}

const ENCRYPTION_SECRET = 'a secret of the tests only';
const START = fileURLToPath(new URL('../../../src/processes/start.ts', import.meta.url));

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { env = {}, change = () => ({}), lineTo } = options;
  const directory = await temporaryDirectory();
  const url = options.databaseUrl ?? (await createTestDatabase()).url;
  const configured = loadConfig({
    DATA_DIR: directory,
    DATABASE_URL: (await lineTo?.(url)) ?? url,
    DATABASE_POOL_SIZE: '6',
    TEMPORAL_ADDRESS: temporalOfTests(),
    TEMPORAL_NAMESPACE: await newNamespace(),
    ENCRYPTION_SECRET,
    ALLOW_DEMO_PARTS: 'true',
    MAIL_RECIPIENT_DOMAINS: '*',
    // The simulator bears any rate.
    REGULATOR_RATE_PER_SECOND: '0',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    XDG_CACHE_HOME: join(CACHE_DIRECTORY, '..'),
    PORT_OFFSET: String(await freePortOffset()),
    ...env,
  });
  const stopping = {
    ...configured,
    shutdownGraceMs: 1_000,
    gateway: { ...configured.gateway, uploadGraceMs: 1_000 },
    // Every thread starts with the worker, and most tests read a file or two.
    worker: { ...configured.worker, parser: { ...configured.worker.parser, threads: 1 } },
  };
  const config = { ...stopping, ...change(stopping) };
  const logger = pino({ level: config.logLevel });
  const mailbox = await closing(startEmbeddedMailbox(config));
  await closing(startEmbeddedIdentityService(config));
  const simulator = await closing(startEmbeddedRegulator(config));
  const database = await closing(openDatabase({ url, poolSize: 4, encryptionSecrets: [ENCRYPTION_SECRET] }));
  const { client: temporal, connection } = createClient(config.temporal);
  atEnd(() => connection.close());
  const logIn = () => autoLogin(createSessions(config, database), config.regulator.url);
  if (!options.loggedOut) await logIn();
  let workers = options.withoutWorkers ? null : await startWorkersHere(config, logger);
  atEnd(() => workers?.close());
  const [healthPort = 0] = await freePorts(1);
  const gateway = await closing(startGateway({ ...config, healthPort }, logger));
  const parts: StackParts = {
    config,
    gatewayUrl: gateway.url,
    healthUrl: `http://127.0.0.1:${healthPort}`,
    database,
    temporal,
    mailbox,
    simulator,
    sql: (statement) => runSql(url, statement),
    async count(from) {
      const [row] = await runSql<{ n: number }>(url, `select count(*)::int as n from ${from}`);
      return row?.n ?? 0;
    },
    logIn,
    token: tokensOf(config, gateway.url),
  };
  const imports = importsOf(parts);
  afterEveryTest(imports.restoreRegulator);
  return Object.assign(parts, {
    imports,
    async pauseWorkers() {
      await workers?.close();
      workers = null;
      return async () => {
        workers = await startWorkersHere(config, logger);
      };
    },
    startWorkers: (differing: Partial<Config['worker']> = {}) =>
      closing(startWorkersHere({ ...config, worker: { ...config.worker, ...differing } }, logger)),
    async startGateway(differing: Partial<Config> = {}) {
      const [port = 0] = await freePorts(1);
      const gateway = { ...config.gateway, ...differing.gateway, port };
      return Object.assign(await closing(startGateway({ ...config, ...differing, gateway }, logger)), {
        port,
      });
    },
    async startProcess(program: StackProgram, processEnv?: Record<string, string>) {
      const started = await launchStackProcess(config, program, processEnv);
      atEnd(started.stop);
      return started;
    },
  });
}

/**
 * Starts workers that run workflows in this thread, as the SDK does for a debugger. The two threads of a stack would take
 * a second of CPU to load. `startProcess` and `npmStart` run workflows in threads, as production does.
 */
export async function startWorkersHere(config: Config, logger: Logger): Promise<{ close(): Promise<void> }> {
  process.env.TEMPORAL_DEBUG = 'true';
  try {
    const workers = await startWorkers(config, logger);
    let isClosing = false;
    let failure: unknown;
    workers.failed.catch((error) => {
      // A worker whose activities do not end within its grace period fails: another one would repeat them.
      if (!isClosing) failure = error;
    });
    return {
      async close() {
        isClosing = true;
        await workers.close();
        if (failure !== undefined) throw new Error('a worker of the stack failed', { cause: failure });
      },
    };
  } finally {
    delete process.env.TEMPORAL_DEBUG;
  }
}

/** Access tokens of clients, each kept until it expires. */
function tokensOf({ auth }: Config, gatewayUrl: string): StackParts['token'] {
  const clients = new Map<string, ApiClient>();
  return ({ clientId, clientSecret } = DEMO_CLIENT) => {
    const client =
      clients.get(clientId) ??
      createApiClient({ gatewayUrl, tokenUrl: `${auth.issuer}/oauth2/token`, clientId, clientSecret });
    clients.set(clientId, client);
    return client.accessToken();
  };
}

/** Parts of `npm start`, identified by the command lines of their processes. */
const PARTS = {
  gateway: /processes\/gateway\.ts/,
  worker: /processes\/worker\.ts/,
  temporal: /server start-dev/,
  postgres: /postgres.* -D /,
} as const;

export interface NpmStart {
  config: Config;
  gatewayUrl: string;
  tokenUrl: string;
  /** For further files; removed at the end. */
  directory: string;
  client: NpmStartClient;
  /** Kills one of its processes at any point. @throws when it does not run */
  kill(part: keyof typeof PARTS): Promise<void>;
  /** Kills all of its processes at once, like a power cut. */
  killAll(): Promise<void>;
  /** Starts it again after `killAll`. */
  startAgain(): Promise<void>;
}

/**
 * Runs `npm start` with its own ports and data. Resolves when uploads are accepted.
 *
 * @param settings variables of its environment
 * @throws with its output, when it does not start
 */
export async function npmStart(settings: Record<string, string>): Promise<NpmStart> {
  const { env, directory } = await newServiceSettings(settings);
  const config = loadConfig(env);
  let running = await startProgram(START, env);
  atEnd(() => running.stop());
  return {
    config,
    gatewayUrl: gatewayUrlOf(config),
    tokenUrl: `${config.auth.issuer}/oauth2/token`,
    directory,
    client: clientOf(config, directory),
    async kill(part) {
      const found = (await descendantsOf(running.pid)).find(({ command }) => PARTS[part].test(command));
      if (!found) throw new Error(`no ${part} runs: ${running.output()}`);
      process.kill(found.pid, 'SIGKILL');
    },
    async killAll() {
      const all = [{ pid: running.pid }, ...(await descendantsOf(running.pid))];
      for (const { pid } of all) sendSignal(pid, 'SIGKILL');
      await running.exited;
      // PostgreSQL does not start while its predecessor is still listed, even as a zombie.
      await eventually(async () => all.every(({ pid }) => !isListed(pid)));
    },
    async startAgain() {
      running = await startProgram(START, env);
    },
  };
}
