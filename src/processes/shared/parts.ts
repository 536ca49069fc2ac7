/** Parts that several processes use, made from the configuration. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { createLocalStorage } from '../../archive/local-storage.ts';
import type { ArchiveStorage } from '../../archive/storage.ts';
import { type Config, InvalidConfiguration } from '../../config/index.ts';
import { type Database, openDatabase } from '../../database/index.ts';
import type { WorkerRole } from '../../domain/task-queues.ts';
import { createRegulatorClient } from '../../regulator/http-client.ts';
import type { Regulator } from '../../regulator/port.ts';
import { createRateLimitedRegulator } from '../../regulator/rate-limited-regulator.ts';
import type { SendRequest } from '../../regulator/send.ts';
import { createRegulatorSessions, type RegulatorSessions } from '../../regulator/session.ts';

/** The regulator's client, with the rate limit that all processes share. @param send a wrapped fetch, for metrics */
export function createRegulator(
  { regulator }: Config,
  database: Pick<Database, 'regulatorRateLimit'>,
  send?: SendRequest,
): Regulator {
  return createRateLimitedRegulator(
    createRegulatorClient({ ...regulator, ...(send && { send }) }),
    database.regulatorRateLimit(regulator.ratePerSecond),
  );
}

export function createSessions(
  config: Config,
  database: Pick<Database, 'regulatorSession' | 'regulatorRateLimit'>,
  send?: SendRequest,
): RegulatorSessions {
  return createRegulatorSessions(createRegulator(config, database, send), database.regulatorSession);
}

type Task = 'gateway' | WorkerRole;
/** A gateway, or the roles of a worker. Without a role, a process only renews the regulator session. */
type Tasks = 'gateway' | readonly WorkerRole[];

/** @throws InvalidConfiguration if the process has too few connections */
export async function openConfiguredDatabase(config: Config, tasks: Tasks): Promise<Database> {
  const { needed, besidePool } = connectionsOf(config, tasks);
  const { poolSize } = config.database;
  if (poolSize < needed)
    throw new InvalidConfiguration([
      `DATABASE_POOL_SIZE: ${poolSize} is too low; this process needs ${needed} connections (WORKER_ROLES)`,
    ]);
  const { encryptionSecrets: given, dataDir } = config;
  const encryptionSecrets = given === undefined ? [await localSecret(dataDir)] : given;
  return openDatabase({ ...config.database, poolSize: poolSize - besidePool, encryptionSecrets });
}

export async function openStorage({ archive }: Config): Promise<ArchiveStorage> {
  if (archive.url.startsWith('file:')) return createLocalStorage(fileURLToPath(archive.url));
  // Loaded on demand only, because the SDK needs 50 MB.
  const { createS3Storage } = await import('../../archive/s3-storage.ts');
  const { parseS3Url } = await import('../../archive/s3-client.ts');
  return createS3Storage(parseS3Url(archive.url), s3Connection(process.env));
}

/** Options for servers other than Amazon's: they have no host name per bucket, and no regions. */
function s3Connection(env: NodeJS.ProcessEnv) {
  if (!env.AWS_ENDPOINT_URL_S3 && !env.AWS_ENDPOINT_URL) return {};
  return { forcePathStyle: true, ...(!env.AWS_REGION && { region: 'us-east-1' }) };
}

/** The secret if ENCRYPTION_SECRET is not set: generated once and kept in the data directory. */
async function localSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'encryption-secret');
  await mkdir(dataDir, { recursive: true });
  const candidate = `${path}.${process.pid}`;
  await writeFile(candidate, randomBytes(32).toString('base64'), { mode: 0o600 });
  // Linking is atomic: if several processes start at the same time, all use the secret of the first.
  await link(candidate, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(candidate);
  return (await readFile(path, 'utf8')).trim();
}

/** A renewal of the regulator session holds one connection for its lock while it writes with another. */
const RENEWAL = 2;

/** The leases of slots for calls to the regulator use a connection outside the pool. */
const FOR_LEASES = 1;

/**
 * The number of PostgreSQL connections that a process needs to avoid a deadlock on its pool, and how many are outside
 * of the pool.
 */
export function connectionsOf({ worker }: Pick<Config, 'worker'>, tasks: Tasks) {
  // Beyond those of the renewal. Short queries share a connection.
  const ofTask: Record<Task, number> = {
    gateway: 1,
    'package-import': 1,
    // Each reading of a package writes rows in bulk.
    'package-reading': worker.readingConcurrency,
    'regulator-insert': FOR_LEASES,
  };
  const all: readonly Task[] = tasks === 'gateway' ? [tasks] : tasks;
  const others = all.reduce((sum, task) => sum + ofTask[task], 0);
  return { needed: RENEWAL + others, besidePool: all.includes('regulator-insert') ? FOR_LEASES : 0 };
}

/**
 * Warns about a process that could change the audit trail. The embedded PostgreSQL of `npm start` has one role only,
 * and is not reported.
 */
export async function warnAboutTableOwner(
  { database: { embedded } }: Pick<Config, 'database'>,
  { auditTrail }: Pick<Database, 'auditTrail'>,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  if (embedded || !(await auditTrail.isOwned())) return;
  logger.warn(
    'DATABASE_URL has the role that owns the table audit_event, so this process could change the audit trail and the schema: use the role of deploy/database-roles.sql',
  );
}
