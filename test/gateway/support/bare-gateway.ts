/**
 * The gateway alone, on a real port: fakes for the database and Temporal, real storage, real tokens.
 * Independent of vitest, so that it can run by hand and in a process of its own.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createLocalStorage } from '../../../src/archive/local-storage.ts';
import { createReadingBudget } from '../../../src/archive/reading-budget.ts';
import { createRepairPacks } from '../../../src/archive/repair-pack.ts';
import type { ArchiveStorage } from '../../../src/archive/storage.ts';
import type { NewImport } from '../../../src/database/repositories/imports.ts';
import type { SessionState } from '../../../src/domain/regulator-session.ts';
import { createGateway } from '../../../src/gateway/app.ts';
import type { GatewayDependencies } from '../../../src/gateway/dependencies.ts';
import { createTokenKeys } from '../../../src/gateway/tokens/token-keys.ts';
import { listen, type RunningServer } from '../../../src/http/server.ts';
import { fakeReports } from './fake-reports.ts';
import { rateOf } from './quotas.ts';
import { AUDIENCE, startTokenIssuer, type TokenIssuer } from './token-issuer.ts';

export interface BareGateway {
  url: string;
  port: number;
  tokens: TokenIssuer;
  /** An access token with every permission. */
  token: string;
  directory: string;
  /** Rows that uploads have created. */
  imports: NewImport[];
  /** The fake processing of a package, which the answer waits for. */
  processing: { run: () => Promise<void> };
  session: { state: SessionState };
  /** Parsed lines of the log. */
  log: Record<string, unknown>[];
  server: RunningServer;
  /** Every file in the archive, `.incoming` included. */
  files(): Promise<string[]>;
  /** Forgets all files and rows. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

export interface BareGatewayOptions {
  maxUploadBytes?: number;
  uploadIdleMs?: number;
  uploadsAtOnce?: number;
  /** Stores packages in a bucket there, in place of a directory. */
  s3Url?: string;
  maxConnections?: number;
  headersTimeoutMs?: number;
  slowClientMs?: number;
  port?: number;
  basePath?: string;
  /** Changes the dependencies of the gateway. */
  change?: (dependencies: GatewayDependencies) => GatewayDependencies;
}

const ACTIVE: SessionState = { status: 'active', expiresAt: new Date(Date.now() + 3_600_000) };

export async function startBareGateway(options: BareGatewayOptions = {}): Promise<BareGateway> {
  const { maxUploadBytes = 4 * 1024 * 1024, uploadIdleMs = 60_000, port = 0, basePath = '' } = options;
  const directory = await mkdtemp(join(tmpdir(), 'package-import-gateway-'));
  const tokens = await startTokenIssuer();
  const log: BareGateway['log'] = [];
  const imports: NewImport[] = [];
  const processing = { run: async () => {} };
  const session = { state: ACTIVE };
  const storage = options.s3Url === undefined ? createLocalStorage(directory) : await bucketAt(options.s3Url);
  const dependencies = {
    // Only the calls of an upload; any other call fails the test with a TypeError.
    database: {
      imports: {
        create: async (row: NewImport) => imports.push(row),
        find: async (id: number) => ({ id, ...imports[id - 1], status: 'extracting' }),
        list: async () => ({ records: [], nextBefore: null }),
        countListed: async () => ({ byStatus: {}, complete: true }),
      },
      reports: fakeReports(async (id) => ({ id, ...imports[id - 1] })),
      submissions: { countByImport: async () => new Map() },
      auditTrail: { record: async () => {} },
    } as unknown as GatewayDependencies['database'],
    reportMemory: createReadingBudget(64 * 1024 * 1024),
    sessions: {
      state: async () => session.state,
      verify: async () => session.state,
    } as unknown as GatewayDependencies['sessions'],
    importWorkflows: { process: () => processing.run() } as unknown as GatewayDependencies['importWorkflows'],
    retryWorkflows: {} as GatewayDependencies['retryWorkflows'],
    startInsert: () => Promise.reject(new Error('no Temporal')),
    packageChecks: { run: () => processing.run() },
    webhookRules: { hosts: [], loopback: true },
    webhookWorkflows: { deliver: async () => {} },
    storage,
    repairPacks: createRepairPacks(storage, createReadingBudget(64 * 1024 * 1024)),
    tokens: {
      issuer: tokens.issuer,
      audience: AUDIENCE,
      keys: createTokenKeys({ jwksUrl: tokens.keySetUrl }),
    },
    logger: pino({ level: 'trace' }, { write: (line: string) => log.push(JSON.parse(line)) }),
    basePath,
    publicUrl: null,
    tokenUrl: null,
    version: '1.2.3',
    limits: {
      maxUploadBytes,
      uploadIdleMs,
      uploadFloor: { bytesPerSecond: 0, windowMs: 60_000 },
      uploadsAtOnce: options.uploadsAtOnce ?? 1000,
      processingPatienceMs: 0,
      minFreeBytes: 0,
    },
    quotas: {
      requests: null,
      uploads: null,
      mails: rateOf(1000, { kind: 'mails', windowSeconds: 3600 }),
      webhooks: rateOf(1000, { kind: 'webhooks', windowSeconds: 3600 }),
      recipientDomains: [],
    },
    trustedProxies: 0,
    defaultRecipient: null,
    observers: [],
    page: null,
    readiness: {},
    processing: { uploads: {}, inserts: {} },
  } satisfies GatewayDependencies;
  const app = createGateway(options.change?.(dependencies) ?? dependencies);
  const { headersTimeoutMs, maxConnections, slowClientMs } = options;
  const server = await listen(app, {
    host: '127.0.0.1',
    port,
    ...(headersTimeoutMs !== undefined && { headersTimeoutMs }),
    ...(maxConnections !== undefined && { maxConnections }),
    ...(slowClientMs !== undefined && { slowClientMs }),
  });
  return {
    url: `http://127.0.0.1:${server.port}${basePath}`,
    port: server.port,
    tokens,
    token: await tokens.sign(),
    directory,
    imports,
    processing,
    session,
    log,
    server,
    files: () => filesIn(directory),
    async clear() {
      imports.length = 0;
      for (const path of await filesIn(directory)) await rm(path, { force: true });
    },
    async stop() {
      await server.close(1_000);
      await tokens.close();
      await rm(directory, { recursive: true, force: true });
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

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
