/**
 * Real S3 servers for tests: the Versity gateway (github.com/versity/versitygw) and MinIO (github.com/minio/minio).
 * Each is used if it is found on the PATH or in the cache of binaries. `.ci/programs` builds the first. A Go toolchain
 * builds the second:
 *
 *   GOBIN=~/.cache/package-import/bin go install github.com/minio/minio@RELEASE.2025-09-07T16-13-09Z
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { atEnd } from './cleanup.ts';
import { findProgram } from './found-program.ts';
import { freePorts } from './free-ports.ts';
import type { Running } from './restartable.ts';
import { serving } from './serving.ts';
import { temporaryDirectory } from './temporary.ts';

interface ServerKind {
  name: 'minio' | 'versitygw';
  /** Whether unfinished uploads can be listed by key prefix, as with Amazon. */
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
    // MinIO lists only the uploads of one whole key. It removes them by itself after a day.
    listsUploads: false,
    args: (directory, { port, consolePort }) => [
      'server',
      ...['--quiet', '--address', `127.0.0.1:${port}`, '--console-address', `127.0.0.1:${consolePort}`],
      directory,
    ],
  },
];

/** Address and data of a server, which outlive its process. */
export interface S3Place {
  connection: {
    endpoint: string;
    region: string;
    credentials: typeof CREDENTIALS;
    forcePathStyle: true;
  };
  /** The same values as Amazon's standard variables, for a process. */
  env: Record<string, string>;
  client: S3Client;
  /** Directory of the buckets. The Versity gateway has a directory per bucket with a file per object. */
  buckets: string;
  /** Resolves when it answers. */
  launch(): Promise<Running>;
}

export interface S3Server extends Pick<S3Place, 'connection' | 'env' | 'client'> {
  listsUploads: boolean;
}

export interface FoundServer {
  name: ServerKind['name'];
  /** For tests that end and restart the server; they stop it. @param parent as of `start` */
  prepare(parent?: string): Promise<S3Place>;
  /** @param parent directory of its files; a temporary directory by default */
  start(parent?: string): Promise<S3Server>;
}

/** The S3 servers that this machine has. */
export async function findS3Servers(cacheDir: string): Promise<FoundServer[]> {
  const found: FoundServer[] = [];
  for (const kind of KINDS) {
    const executable = await findProgram(kind.name, cacheDir);
    if (executable !== null)
      found.push({
        name: kind.name,
        prepare: (parent) => prepare(kind, executable, parent),
        start: (parent) => start(kind, executable, parent),
      });
  }
  return found;
}

async function start(kind: ServerKind, executable: string, parent?: string): Promise<S3Server> {
  const { connection, env, client, launch } = await prepare(kind, executable, parent);
  const running = await launch();
  atEnd(() => running.stop());
  atEnd(() => client.destroy());
  return { listsUploads: kind.listsUploads, connection, env, client };
}

async function prepare(kind: ServerKind, executable: string, parent?: string): Promise<S3Place> {
  const directory = await temporaryDirectory(parent);
  const buckets = join(directory, 'buckets');
  await mkdir(buckets);
  await mkdir(join(directory, 'sidecar'));
  const [port = 0, consolePort = 0] = await freePorts(2);
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  const endpoint = `http://127.0.0.1:${port}`;
  const connection = { endpoint, region: REGION, credentials: CREDENTIALS, forcePathStyle: true as const };
  return {
    connection,
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    client: new S3Client(connection),
    buckets,
    launch: () =>
      serving(
        spawn(executable, kind.args(directory, { port, consolePort }), {
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
        }),
        () => fetch(endpoint).catch(() => null),
      ),
  };
}
