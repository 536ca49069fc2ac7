/**
 * Real S3 servers for tests: the Versity gateway (github.com/versity/versitygw) and MinIO (github.com/minio/minio),
 * each used where it is found, on the PATH or in the cache of binaries. Neither comes with the npm packages;
 * a Go toolchain makes them:
 *
 *   export GOBIN=~/.cache/package-import/bin
 *   go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
 *   go install github.com/minio/minio@RELEASE.2025-09-07T16-13-09Z
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { stopProcess } from '../../src/local/servers/local-server.ts';
import { eventually } from './eventually.ts';
import { findProgram } from './found-program.ts';
import { freePorts } from './free-ports.ts';
import { temporaryRoot } from './temporary.ts';

interface ServerKind {
  name: 'minio' | 'versitygw';
  /** Whether uploads under way can be listed by the beginning of their keys, as with Amazon. */
  listsUploads: boolean;
  args(directory: string, ports: { port: number; consolePort: number }): string[];
}

const CREDENTIALS = { accessKeyId: 'test-access', secretAccessKey: 'test-secret-key' };
const REGION = 'us-east-1';

const KINDS: ServerKind[] = [
  {
    name: 'versitygw',
    listsUploads: true,
    args: (directory, { port }) => [
      ...['--quiet', '--port', `127.0.0.1:${port}`, '--region', REGION],
      ...['posix', '--sidecar', join(directory, 'sidecar'), join(directory, 'buckets')],
    ],
  },
  {
    name: 'minio',
    // Only of one whole key; it throws them away by itself after a day.
    listsUploads: false,
    args: (directory, { port, consolePort }) => [
      'server',
      ...['--quiet', '--address', `127.0.0.1:${port}`, '--console-address', `127.0.0.1:${consolePort}`],
      directory,
    ],
  },
];

export interface S3Server {
  listsUploads: boolean;
  connection: {
    endpoint: string;
    region: string;
    credentials: typeof CREDENTIALS;
    forcePathStyle: true;
  };
  /** The same for a process, in Amazon's standard variables. */
  env: Record<string, string>;
  client: S3Client;
  stop(): Promise<void>;
}

export interface FoundServer {
  name: string;
  /** @param parent where it keeps its files; a temporary directory by default */
  start(parent?: string): Promise<S3Server>;
}

/** The S3 servers that this machine has. */
export async function findS3Servers(cacheDir: string): Promise<FoundServer[]> {
  const found: FoundServer[] = [];
  for (const kind of KINDS) {
    const executable = await findProgram(kind.name, cacheDir);
    if (executable !== null)
      found.push({ name: kind.name, start: (parent) => start(kind, executable, parent) });
  }
  return found;
}

async function start(kind: ServerKind, executable: string, parent = temporaryRoot()): Promise<S3Server> {
  const directory = await mkdtemp(join(parent, 'package-import-s3-'));
  await mkdir(join(directory, 'buckets'));
  await mkdir(join(directory, 'sidecar'));
  const [port = 0, consolePort = 0] = await freePorts(2);
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  const child = spawn(executable, kind.args(directory, { port, consolePort }), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      ROOT_ACCESS_KEY: accessKeyId,
      ROOT_SECRET_KEY: secretAccessKey,
      MINIO_ROOT_USER: accessKeyId,
      MINIO_ROOT_PASSWORD: secretAccessKey,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
    },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-2_000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const endpoint = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    );
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${kind.name} does not start: ${said}`);
    return answers();
  });
  const connection = {
    endpoint,
    region: REGION,
    credentials: CREDENTIALS,
    forcePathStyle: true as const,
  };
  const client = new S3Client(connection);
  return {
    listsUploads: kind.listsUploads,
    connection,
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    client,
    async stop() {
      client.destroy();
      await stopProcess(child, exited);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
