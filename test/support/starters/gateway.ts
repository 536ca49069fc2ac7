/**
 * The gateway alone, on a real port: fakes for the database and Temporal, real storage, real tokens. `startGateway`
 * runs it in this process, `startGatewayProcess` in a separate process that a test watches from outside.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createLocalStorage } from '../../../src/archive/local-storage.ts';
import type { ArchiveStorage } from '../../../src/archive/storage.ts';
import { createGateway } from '../../../src/gateway/app.ts';
import type { GatewayDependencies } from '../../../src/gateway/dependencies.ts';
import { docUrls } from '../../../src/gateway/error-page.ts';
import { listen, type RunningServer } from '../../../src/http/server.ts';
import { NODE_OPTIONS } from '../../../src/processes/shared/program.ts';
import { collectText } from '../child-output.ts';
import { atEnd } from '../cleanup.ts';
import { filesBelow } from '../files-below.ts';
import { createFakes, type Fakes, fakeDependencies } from '../gateway-fakes.ts';
import { IMPORT_PATH, MULTIPART } from '../multipart.ts';
import { temporaryDirectory } from '../temporary.ts';
import { createSigningKey, startTokenIssuer, type TokenIssuer } from '../token-issuer.ts';

export interface Gateway extends Fakes {
  url: string;
  port: number;
  tokens: TokenIssuer;
  /** An access token with every permission. */
  token: string;
  directory: string;
  server: RunningServer;
  /** Makes a request with the token, unless the request has another. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Uploads a multipart body (`../multipart.ts`). */
  upload(body: Buffer, init?: { headers?: Record<string, string>; query?: string }): Promise<Response>;
  /** Holds the processing of packages until the test ends it. */
  holdProcessing(): { begun: Promise<void>; end(): void; fail(error: Error): void };
  /** Every file in the archive, `.incoming` included. */
  files(): Promise<string[]>;
  /** Forgets all files and rows. */
  clear(): Promise<void>;
}

export interface GatewayOptions {
  /** Replaces limits. */
  limits?: Partial<GatewayDependencies['limits']> | undefined;
  /** Stores packages in the bucket `packages` there, in place of a directory. */
  s3Url?: string;
  /** Options of the HTTP server. */
  server?: { maxConnections?: number; headersTimeoutMs?: number; slowClientMs?: number };
  basePath?: string;
  /** Replaces dependencies of the gateway. */
  change?: (dependencies: GatewayDependencies) => Partial<GatewayDependencies>;
}

/** Message to the parent process when the gateway listens. */
export interface Served {
  url: string;
  port: number;
  token: string;
  /** Tokens of as many other clients as `otherClients` asks for. */
  others: string[];
}

/** Options of the gateway as a separate process. */
export interface ProgramOptions extends Omit<GatewayOptions, 'change'> {
  otherClients?: number;
  /** Every read has its largest answer (`../large-answers.ts`), and does not wait long. */
  largeAnswers?: boolean;
}

/** Answer to each request of the parent process. */
export interface Usage {
  /** Resident memory in bytes, after a garbage collection. */
  rss: number;
  /** Memory of objects and buffers in bytes, after a garbage collection. */
  held: number;
  connections: number;
  /** Requests whose answer has begun. */
  requests: number;
}

/** The key of all gateways of this process. Its generation takes a tenth of a second of CPU. */
let signingKey: ReturnType<typeof createSigningKey> | undefined;

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { limits, s3Url, server: serverOptions, basePath = '', change } = options;
  const directory = await temporaryDirectory();
  signingKey ??= createSigningKey();
  const tokens = await startTokenIssuer(await signingKey);
  const fakes = createFakes();
  const storage = s3Url === undefined ? createLocalStorage(directory) : await bucketAt(s3Url);
  const fake = { ...fakeDependencies(fakes, storage, tokens), basePath };
  const dependencies = { ...fake, limits: { ...fake.limits, ...limits }, ...change?.(fake) };
  const docUrlOf = docUrls(dependencies);
  const app = createGateway(dependencies);
  const server = await listen(app, { host: '127.0.0.1', port: 0, docUrlOf, ...serverOptions });
  atEnd(() => server.close(1_000));
  const url = `http://127.0.0.1:${server.port}${basePath}`;
  const token = await tokens.sign();
  const ask: Gateway['fetch'] = (path, init) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init?.headers } });
  return {
    ...fakes,
    url,
    port: server.port,
    tokens,
    token,
    directory,
    server,
    fetch: ask,
    upload: (body, { headers, query = '' } = {}) =>
      ask(IMPORT_PATH + query, {
        method: 'POST',
        headers: { 'content-type': MULTIPART, ...headers },
        body: new Uint8Array(body),
      }),
    holdProcessing() {
      const begun = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      fakes.processing.run = () => {
        begun.resolve();
        return held.promise;
      };
      return { begun: begun.promise, end: held.resolve, fail: held.reject };
    },
    files: () => filesBelow(directory),
    async clear() {
      fakes.imports.length = 0;
      for (const path of await filesBelow(directory)) await rm(path, { force: true });
    },
  };
}

export interface GatewayProcess extends Served {
  /** Its whole standard output and standard error: it logs elsewhere. */
  output(): string;
  usage(): Promise<Usage>;
}

/** It stops at the end, and must then exit with 0. */
export async function startGatewayProcess(options: ProgramOptions = {}): Promise<GatewayProcess> {
  const entry = fileURLToPath(new URL('../gateway-program.ts', import.meta.url));
  const child = fork(entry, [JSON.stringify(options)], {
    stdio: 'pipe',
    execArgv: ['--expose-gc', ...NODE_OPTIONS],
  });
  const output = collectText(child.stdout, child.stderr);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const message = async <T>() => (await once(child, 'message'))[0] as T;
  const failed = ended.then((code) =>
    Promise.reject(new Error(`the gateway ended with ${code}: ${output()}`)),
  );
  const served = await Promise.race([message<Served>(), failed]);
  failed.catch(() => {});
  atEnd(async () => {
    child.kill('SIGTERM');
    const code = await ended;
    if (code !== 0) throw new Error(`the gateway ended with ${code}: ${output()}`);
  });
  return {
    ...served,
    output,
    usage() {
      child.send('usage?');
      return message<Usage>();
    },
  };
}

/** Loaded only on use: the SDK takes 50 MB. */
async function bucketAt(endpoint: string): Promise<ArchiveStorage> {
  const { createS3Storage } = await import('../../../src/archive/s3-storage.ts');
  const credentials = { accessKeyId: 'test-access', secretAccessKey: 'test-secret-key' };
  return createS3Storage(
    { bucket: 'packages', prefix: '' },
    { endpoint, region: 'us-east-1', credentials, forcePathStyle: true },
  );
}
