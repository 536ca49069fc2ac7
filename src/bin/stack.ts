/** Everything that `npm start` runs on one machine: our processes, and an embedded part for each that is not configured. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { migrate } from '../database/index.ts';
import { listen } from '../http/server.ts';
import { autoLogin } from '../local/auto-login.ts';
import {
  CLIENT_WITHOUT_PERMISSION,
  createIdentityService,
  DEMO_CLIENT,
  loadSigningKey,
} from '../local/identity-service/identity-service.ts';
import { type Mailbox, startMailbox } from '../local/mailbox/mailbox.ts';
import { startRegulatorSimulator } from '../local/regulator-simulator/simulator.ts';
import { requireFreePorts } from '../local/servers/ports.ts';
import { createSessions, openConfiguredDatabase } from './compose.ts';
import type { KeeperMessage, KeepOptions } from './keep.ts';
import { supervise } from './supervise.ts';

export interface Stack {
  addresses: { title: string; url: string }[];
  gatewayUrl: string;
  tokenUrl: string | null;
  mailbox: Mailbox | null;
  stop(): Promise<void>;
}

const LOCALHOST = '127.0.0.1';

/** Starts the stack. @param progress tells people what happens */
export async function startStack(
  config: Config,
  env: NodeJS.ProcessEnv,
  progress: (line: string) => void,
): Promise<Stack> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const part of stops.splice(0).reverse()) await part();
  };
  try {
    return await start();
  } catch (error) {
    await stop();
    throw error;
  }

  async function start(): Promise<Stack> {
    await mkdir(config.dataDir, { recursive: true });
    await requireFreePorts(portsOf(config));
    const keeping = keepServers();
    const mailbox = await startEmbeddedMailbox();
    await Promise.all([startEmbeddedIdentityService(), startEmbeddedRegulator()]);
    await keeping;
    progress('Migrating the database …');
    await migrate(config.database.url);
    if (config.regulator.autoLogin) {
      progress('Logging in with the regulator …');
      await logIn();
    }
    progress('Starting the workers and the gateway …');
    await Promise.all([
      superviseProcess('worker', './worker.ts'),
      superviseProcess('gateway', './gateway.ts'),
    ]);
    return {
      addresses: addressesOf(config),
      gatewayUrl: gatewayUrlOf(config),
      tokenUrl: config.auth.embedded ? `${config.auth.issuer}/oauth2/token` : null,
      mailbox,
      stop,
    };
  }

  async function keepServers(): Promise<void> {
    if (!config.database.embedded && !config.temporal.embedded) return;
    progress('Starting PostgreSQL and Temporal …');
    const keeper = fork(fileURLToPath(new URL('./keep.ts', import.meta.url)), [], {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    stops.push(() => stopKeeper(keeper));
    await ready(keeper, keepOptions(config), progress);
  }

  async function startEmbeddedMailbox(): Promise<Mailbox | null> {
    if (!config.mail.embedded) return null;
    const { port: smtpPort, uiPort: pagesPort } = config.mail;
    const mailbox = await startMailbox({
      host: LOCALHOST,
      smtpPort,
      pagesPort,
      directory: join(config.dataDir, 'mailbox'),
    });
    stops.push(() => mailbox.close());
    return mailbox;
  }

  async function startEmbeddedIdentityService(): Promise<void> {
    if (!config.auth.embedded) return;
    const { issuer, audience, port } = config.auth;
    const signingKey = await loadSigningKey(join(config.dataDir, 'identity-service-key.json'));
    const clients = [DEMO_CLIENT, CLIENT_WITHOUT_PERMISSION];
    const server = await listen(createIdentityService({ issuer, audience, clients, signingKey }), {
      host: LOCALHOST,
      port,
    });
    stops.push(() => server.close(500));
  }

  async function startEmbeddedRegulator(): Promise<void> {
    if (!config.regulator.embedded) return;
    const { port, username, password } = config.regulator;
    const journal = join(config.dataDir, 'regulator-simulator.jsonl');
    const simulator = await startRegulatorSimulator({
      host: LOCALHOST,
      port,
      username,
      password,
      journal,
      smtpUrl: config.mail.url,
    });
    stops.push(() => simulator.close());
  }

  async function logIn(): Promise<void> {
    const database = await openConfiguredDatabase(config);
    try {
      await autoLogin(createSessions(config, database), config.regulator.url);
    } finally {
      await database.close();
    }
  }

  async function superviseProcess(name: string, entry: string): Promise<void> {
    const onRestart = (_: string, code: number | null) =>
      progress(`The ${name} ended (${code ?? 'killed'}); starting it again.`);
    const supervised = await supervise(name, { entry, env, onRestart });
    stops.push(() => supervised.stop());
  }
}

async function ready(
  keeper: ChildProcess,
  options: KeepOptions,
  progress: (line: string) => void,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    keeper.on('message', (message: KeeperMessage) => {
      if (message.type === 'progress') progress(message.line);
      else if (message.type === 'ready') resolve();
      else reject(new Error(message.reason));
    });
    keeper.once('exit', () => reject(new Error('The keeper of PostgreSQL and Temporal ended at once')));
    keeper.send(options);
  });
}

async function stopKeeper(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const exited = new Promise((resolve) => keeper.once('exit', resolve));
  keeper.disconnect();
  await exited;
}

function keepOptions({ dataDir, cacheDir, database, temporal }: Config): KeepOptions {
  const { username, password, pathname } = new URL(database.url);
  return {
    cacheDir,
    postgres: database.embedded
      ? {
          directory: join(dataDir, 'postgres'),
          host: LOCALHOST,
          port: database.port,
          user: username,
          password,
          databases: [pathname.slice(1)],
        }
      : null,
    temporal: temporal.embedded
      ? {
          host: LOCALHOST,
          port: temporal.port,
          uiPort: temporal.uiPort,
          namespaces: [temporal.namespace],
          databaseFile: join(dataDir, 'temporal', 'temporal.db'),
          pidFile: join(dataDir, 'temporal', 'temporal.pid'),
        }
      : null,
  };
}

function portsOf({
  gateway,
  database,
  temporal,
  auth,
  regulator,
  mail,
}: Config): { variable: string; port: number }[] {
  return [
    { variable: 'PORT', port: gateway.port },
    ...(database.embedded ? [{ variable: 'POSTGRES_PORT', port: database.port }] : []),
    ...(temporal.embedded
      ? [
          { variable: 'TEMPORAL_PORT', port: temporal.port },
          { variable: 'TEMPORAL_UI_PORT', port: temporal.uiPort },
        ]
      : []),
    ...(auth.embedded ? [{ variable: 'IAM_PORT', port: auth.port }] : []),
    ...(regulator.embedded ? [{ variable: 'REGULATOR_PORT', port: regulator.port }] : []),
    ...(mail.embedded
      ? [
          { variable: 'MAIL_PORT', port: mail.port },
          { variable: 'MAIL_UI_PORT', port: mail.uiPort },
        ]
      : []),
  ];
}

function gatewayUrlOf({ gateway }: Config): string {
  return `http://${gateway.host}:${gateway.port}${gateway.basePath}`;
}

function addressesOf(config: Config): { title: string; url: string }[] {
  const { auth, temporal, mail, regulator } = config;
  return [
    { title: 'Gateway', url: gatewayUrlOf(config) },
    { title: 'API documentation', url: `${gatewayUrlOf(config)}/api/doc` },
    ...(auth.embedded ? [{ title: 'Identity service', url: `${auth.issuer}/api/doc` }] : []),
    ...(temporal.embedded
      ? [{ title: 'Temporal Web UI', url: `http://${LOCALHOST}:${temporal.uiPort}` }]
      : []),
    ...(mail.embedded ? [{ title: 'Mailbox', url: `http://${LOCALHOST}:${mail.uiPort}` }] : []),
    ...(regulator.embedded ? [{ title: 'Regulator simulator', url: regulator.url }] : []),
  ];
}
