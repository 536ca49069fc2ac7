/** Temporal as in production: the real server in several processes, each with all of its services, on PostgreSQL. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { DYNAMIC_CONFIG } from '../../src/trial-parts/servers/temporal.ts';
import { freePorts } from './free-ports.ts';
import { goProgram } from './go-tool.ts';
import { type Restartable, type Running, restartable } from './restartable.ts';
import { serving } from './serving.ts';

export interface TemporalPrograms {
  server: string;
  sqlTool: string;
}

export interface PostgresAddress {
  port: number;
  user: string;
  password: string;
}

export interface TemporalCluster {
  /** One for each node. */
  nodes: Restartable[];
  /** Ports of their frontends, in the same order. */
  ports: number[];
}

/** Databases that must exist beforehand. */
export const TEMPORAL_DATABASES = ['temporal', 'temporal_visibility'] as const;

/** As in docker-compose.yml. */
export const TEMPORAL_VERSION = 'v1.32.2';

const HOST = '127.0.0.1';
const PLUGIN = 'postgres12';
/** The number is fixed for the lifetime of a cluster. It is low, because two small nodes share the shards. */
const SHARDS = 16;
const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;

const run = promisify(execFile);

/**
 * The server and the SQL tool of its release. No npm package contains them: Go builds them, once, in some minutes.
 *
 * @throws Unavailable without them and without Go
 */
export async function temporalPrograms(say: (line: string) => void): Promise<TemporalPrograms> {
  const of = (name: string, folder: string) =>
    goProgram(
      `${name}-${TEMPORAL_VERSION}`,
      { package: `go.temporal.io/server/cmd/${folder}`, version: TEMPORAL_VERSION },
      say,
    );
  return {
    server: await of('temporal-server', 'server'),
    sqlTool: await of('temporal-sql-tool', 'tools/sql'),
  };
}

export interface ClusterOptions {
  programs: TemporalPrograms;
  nodes: number;
  /** Directory of configurations. */
  directory: string;
  postgres: PostgresAddress;
  say(line: string): void;
}

/** Creates the schema and describes the nodes, which are not started yet. */
export async function prepareTemporalCluster(options: ClusterOptions): Promise<TemporalCluster> {
  const { programs, directory, postgres, say } = options;
  for (const database of TEMPORAL_DATABASES) await makeSchema(programs.sqlTool, postgres, database);
  const each = SERVICES.length * 2;
  const all = await freePorts(options.nodes * each);
  const nodes = Array.from({ length: options.nodes }, (_, index) => ({
    name: options.nodes > 1 ? `Temporal ${index + 1}` : 'Temporal',
    ports: all.slice(index * each, (index + 1) * each),
    root: join(directory, `temporal-${index + 1}`),
  }));
  for (const { root, ports } of nodes) await writeConfiguration(root, ports, postgres);
  return {
    nodes: nodes.map(({ name, ports, root }) =>
      restartable(name, () => startNode(programs.server, root, ports[0] ?? 0), say),
    ),
    ports: nodes.map(({ ports }) => ports[0] ?? 0),
  };
}

async function makeSchema(tool: string, { port, user, password }: PostgresAddress, database: string) {
  const connection = [
    ...['--plugin', PLUGIN, '--ep', HOST, '-p', String(port), '-u', user, '--pw', password],
    ...['--db', database],
  ];
  const name = database === 'temporal' ? 'temporal' : 'visibility';
  await run(tool, [...connection, 'setup-schema', '-v', '0.0']);
  await run(tool, [...connection, 'update-schema', '--schema-name', `postgresql/v12/${name}`]);
}

async function writeConfiguration(
  root: string,
  ports: readonly number[],
  { port, user, password }: PostgresAddress,
): Promise<void> {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: PLUGIN,
      databaseName,
      connectAddr: `${HOST}:${port}`,
      connectProtocol: 'tcp',
      user,
      password,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const services = Object.fromEntries(
    SERVICES.map((name, index) => [
      name,
      {
        rpc: {
          grpcPort: ports[index * 2],
          membershipPort: ports[index * 2 + 1],
          bindOnLocalHost: true,
        },
      },
    ]),
  );
  await mkdir(join(root, 'config'), { recursive: true });
  await writeFile(
    join(root, 'config', 'dynamic.yaml'),
    JSON.stringify(
      Object.fromEntries(Object.entries(DYNAMIC_CONFIG).map(([key, value]) => [key, [{ value }]])),
    ),
  );
  // JSON is valid YAML.
  await writeFile(
    join(root, 'config', 'node.yaml'),
    JSON.stringify({
      log: { stdout: true, level: 'error' },
      persistence: {
        defaultStore: 'default',
        visibilityStore: 'visibility',
        numHistoryShards: SHARDS,
        datastores: { default: store('temporal', 10), visibility: store('temporal_visibility', 3) },
      },
      global: { membership: { maxJoinDuration: '30s', broadcastAddress: HOST } },
      services,
      clusterMetadata: {
        enableGlobalNamespace: false,
        failoverVersionIncrement: 10,
        masterClusterName: 'active',
        currentClusterName: 'active',
        clusterInformation: {
          active: {
            enabled: true,
            initialFailoverVersion: 1,
            rpcName: 'frontend',
            rpcAddress: `${HOST}:${ports[0]}`,
          },
        },
      },
      dcRedirectionPolicy: { policy: 'noop' },
      publicClient: { hostPort: `${HOST}:${ports[0]}` },
      dynamicConfigClient: { filepath: join(root, 'config', 'dynamic.yaml'), pollInterval: '60s' },
    }),
  );
}

function startNode(server: string, root: string, port: number): Promise<Running> {
  const args = ['--root', root, '--config', 'config', '--env', 'node', '--allow-no-auth', 'start'];
  return serving(spawn(server, args, { stdio: ['ignore', 'pipe', 'pipe'] }), () => answers(port));
}

async function answers(port: number): Promise<boolean> {
  const connection = await Connection.connect({ address: `${HOST}:${port}`, connectTimeout: '2s' }).catch(
    () => null,
  );
  if (connection === null) return false;
  const health = await connection.healthService.check({}).catch(() => null);
  await connection.close();
  return health?.status === 1;
}
