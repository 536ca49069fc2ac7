/**
 * The whole service as in production, on one machine: PostgreSQL, Temporal, gateways and workers as processes
 * that can be ended one by one, with TCP proxies between them. Regulator, mail server and identity service, which belong
 * to others, run in this process.
 */
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { Connection } from '@temporalio/client';
import { type Config, loadConfig } from '../../../src/config/index.ts';
import { migrate } from '../../../src/database/migrations.ts';
import {
  startEmbeddedIdentityService,
  startEmbeddedMailbox,
  startEmbeddedRegulator,
} from '../../../src/processes/shared/embedded.ts';
import { logIn } from '../../../src/processes/whole-service/whole-service.ts';
import type { Mailbox } from '../../../src/trial-parts/mailbox/mailbox.ts';
import type { RunningSimulator } from '../../../src/trial-parts/regulator-simulator/simulator.ts';
import type { LocalServer } from '../../../src/trial-parts/servers/local-server.ts';
import { startPostgres } from '../../../src/trial-parts/servers/postgres.ts';
import { startTemporalServer } from '../../../src/trial-parts/servers/temporal.ts';
import { findTemporalBinary } from '../../../src/trial-parts/servers/temporal-binary.ts';
import { atEnd, closing } from '../cleanup.ts';
import { freePorts } from '../free-ports.ts';
import { registerNamespace } from '../namespace.ts';
import { type Restartable, type Running, restartable } from '../restartable.ts';
import type { FoundServer } from '../s3-server.ts';
import { newServiceSettings } from '../service-settings.ts';
import { launchStackProcess } from '../stack-process.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';
import {
  type ClusterOptions,
  prepareTemporalCluster,
  TEMPORAL_DATABASES,
  type TemporalCluster,
  type TemporalPrograms,
} from '../temporal-cluster.ts';

/** Connections with a proxy. */
const LINKS = ['clients', 'PostgreSQL', 'Temporal', 'regulator', 'mail'] as const;
export type Link = (typeof LINKS)[number];

export interface World {
  /** Configuration with the direct addresses of the parts, without the proxies. */
  config: Config;
  /** For further files; removed after the stop. */
  directory: string;
  postgres: Restartable;
  /** One server, or the nodes of a cluster. */
  temporal: Restartable[];
  gateways: Restartable[];
  workers: Restartable[];
  /** An S3 server; null if the archive is a directory. */
  s3: Restartable | null;
  /** Directory with one file per archived file, named by its key. */
  archiveDirectory: string;
  links: Readonly<Record<Link, TcpProxy>>;
  /** URL of the proxy in front of all gateways. */
  url: string;
  mailbox: Mailbox;
  simulator: RunningSimulator;
}

export interface WorldOptions {
  gateways: number;
  workers: number;
  /** Variables of gateways and workers. */
  env?: Record<string, string>;
  /** Nodes of a real Temporal server on the same PostgreSQL; the default is the embedded server. */
  temporalCluster?: { programs: TemporalPrograms; nodes: number };
  /** Server for the archive; the default is a directory. It must be a Versity gateway, which stores objects as files. */
  s3Server?: FoundServer;
  say(line: string): void;
}

/** Without fsync, committed data survives the end of a process. Only a power cut would need fsync. */
const POSTGRES_FLAGS = ['-c', 'fsync=off'];
/** Every service of every Temporal node has its own connections. */
const FLAGS_WITH_CLUSTER = [...POSTGRES_FLAGS, '-c', 'max_connections=250'];

const BUCKET = 'archive';
const PREFIX = 'imports';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** All parts end with the test or the script (`../cleanup.ts`). @throws with the reason, when a part does not start */
export async function startWorld({
  gateways,
  workers,
  env = {},
  temporalCluster,
  s3Server,
  say,
}: WorldOptions): Promise<World> {
  const { env: variables, directory } = await newServiceSettings({
    LOG_LEVEL: 'silent',
    ENCRYPTION_SECRET: 'a secret of the tests only',
    // The simulator bears any rate.
    REGULATOR_RATE_PER_SECOND: '0',
    ...env,
  });
  const config = loadConfig(variables);
  const place = await s3Server?.prepare(directory);
  const parts: Restartable[] = [];
  abandonAtSignal(parts, directory);
  const run = async (part: Restartable): Promise<Restartable> => {
    parts.push(part);
    atEnd(() => part.stop());
    await part.start();
    return part;
  };
  say('Starting PostgreSQL and Temporal …');
  const mailbox = await closing(startEmbeddedMailbox(config));
  const postgres = await run(postgresOf(config, say, temporalCluster ? TEMPORAL_DATABASES : []));
  const temporal = temporalCluster
    ? await clusterOf(config, { ...temporalCluster, directory: directory, say })
    : { nodes: [await temporalOf(config, say)], ports: [config.temporal.port] };
  await Promise.all(temporal.nodes.map(run));
  if (temporalCluster) await registerInCluster(config);
  const s3 = place ? await run(restartable('S3', place.launch, say)) : null;
  await place?.client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  place?.client.destroy();
  await closing(startEmbeddedIdentityService(config));
  const simulator = await closing(startEmbeddedRegulator(config));
  await migrate(config.database.url);
  await logIn(config);
  const gatewayPorts = await freePorts(gateways);
  const healthPorts = await freePorts(gateways + workers);
  const links = await linksOf(config, gatewayPorts, temporal.ports);
  for (const link of Object.values(links)) atEnd(() => link.stop());
  say(`Starting ${gateways} gateways and ${workers} workers …`);
  const linked = through(links, config);
  const started = await Promise.all(
    healthPorts.map((healthPort, index) => {
      const isGateway = index < gateways;
      const name = isGateway ? `gateway ${index + 1}` : `worker ${index - gateways + 1}`;
      const own = {
        HEALTH_PORT: String(healthPort),
        ...(isGateway && { PORT: String(gatewayPorts[index]) }),
      };
      return run(
        restartable(
          name,
          () =>
            launchStackProcess(linked, isGateway ? 'gateway' : 'worker', {
              LOG_LEVEL: 'silent',
              STORAGE_URL: config.archive.url,
              ...env,
              ...(place && { ...place.env, STORAGE_URL: `s3://${BUCKET}/${PREFIX}` }),
              ...own,
            }),
          say,
        ),
      );
    }),
  );
  return {
    config,
    directory,
    postgres,
    temporal: temporal.nodes,
    gateways: started.slice(0, gateways),
    workers: started.slice(gateways),
    s3,
    archiveDirectory: place ? join(place.buckets, BUCKET, PREFIX) : fileURLToPath(config.archive.url),
    links,
    url: `http://127.0.0.1:${links.clients.port}`,
    mailbox,
    simulator,
  };
}

/** Temporal would outlive this process. The handler runs before others, which end the process without waiting. */
function abandonAtSignal(parts: readonly Restartable[], directory: string): void {
  const interrupted = () => {
    for (const part of parts) part.abandon();
    rmSync(directory, { recursive: true, force: true });
    process.exit(1);
  };
  for (const signal of SIGNALS) process.prependOnceListener(signal, interrupted);
  atEnd(() => {
    for (const signal of SIGNALS) process.removeListener(signal, interrupted);
  });
}

/** Gateways come first: they finish their uploads while workers still process them. */
export function partsOf({ gateways, workers, temporal, postgres, s3 }: World): Restartable[] {
  return [...gateways, ...workers, ...temporal, postgres, ...(s3 ? [s3] : [])];
}

async function linksOf(
  { database, regulator, mail }: Config,
  gatewayPorts: number[],
  temporalPorts: number[],
): Promise<Record<Link, TcpProxy>> {
  const [clients, postgres, server, authority, mails] = await Promise.all([
    startTcpProxy(gatewayPorts),
    ...[[database.port], temporalPorts, [regulator.port], [mail.port]].map((ports) => startTcpProxy(ports)),
  ]);
  if (!clients || !postgres || !server || !authority || !mails) throw new Error('a proxy is missing');
  return { clients, PostgreSQL: postgres, Temporal: server, regulator: authority, mail: mails };
}

/** The same configuration with the addresses of the proxies. */
function through(links: Record<Link, TcpProxy>, config: Config): Config {
  const { database, temporal, regulator, mail } = config;
  const url = Object.assign(new URL(database.url), { port: links.PostgreSQL.port }).href;
  return {
    ...config,
    database: { ...database, url },
    temporal: { ...temporal, address: `127.0.0.1:${links.Temporal.port}` },
    regulator: { ...regulator, url: `http://127.0.0.1:${links.regulator.port}` },
    mail: { ...mail, url: `smtp://127.0.0.1:${links.mail.port}` },
  };
}

async function registerInCluster({ temporal }: Config): Promise<void> {
  const connection = await Connection.connect({ address: temporal.address });
  await registerNamespace(connection, temporal.namespace).finally(() => connection.close());
}

/** Replaces the configuration's Temporal address by that of the first node. */
async function clusterOf(
  config: Config,
  options: Pick<ClusterOptions, 'programs' | 'nodes' | 'directory' | 'say'>,
): Promise<TemporalCluster> {
  const { username: user, password } = new URL(config.database.url);
  const cluster = await prepareTemporalCluster({
    ...options,
    postgres: { port: config.database.port, user, password },
  });
  const [port = 0] = cluster.ports;
  Object.assign(config.temporal, { port, address: `127.0.0.1:${port}` });
  return cluster;
}

function postgresOf(
  { dataDir, database }: Config,
  say: (line: string) => void,
  others: readonly string[],
): Restartable {
  const directory = join(dataDir, 'postgres');
  const { username: user, password, pathname } = new URL(database.url);
  const launch = async () =>
    runningOf(
      await startPostgres({
        directory,
        host: '127.0.0.1',
        port: database.port,
        user,
        password,
        databases: [pathname.slice(1), ...others],
        flags: others.length > 0 ? FLAGS_WITH_CLUSTER : POSTGRES_FLAGS,
      }),
      join(directory, 'postmaster.pid'),
    );
  return restartable('PostgreSQL', launch, say);
}

async function temporalOf(
  { dataDir, cacheDir, temporal }: Config,
  say: (line: string) => void,
): Promise<Restartable> {
  const binary = await findTemporalBinary(cacheDir, say);
  const directory = join(dataDir, 'temporal');
  const pidFile = join(directory, 'temporal.pid');
  const launch = async () =>
    runningOf(
      await startTemporalServer({
        binary,
        host: '127.0.0.1',
        port: temporal.port,
        uiPort: null,
        pidFile,
        namespaces: [temporal.namespace],
        databaseFile: join(directory, 'temporal.db'),
      }),
      pidFile,
    );
  return restartable('Temporal', launch, say);
}

/** @param pidFile file whose first line is the process id */
async function runningOf({ exited, stop }: LocalServer, pidFile: string): Promise<Running> {
  const [line] = (await readFile(pidFile, 'utf8')).split('\n');
  return { pid: Number(line), exited, stop };
}
