/** Parts that several processes use, made from the configuration. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLocalStorage } from '../../archive/local-storage.ts';
import type { ArchiveStorage } from '../../archive/storage.ts';
import type { Config } from '../../config/index.ts';
import { type Database, openDatabase } from '../../database/index.ts';
import { createRegulatorClient } from '../../regulator/http-client.ts';
import { createPacedRegulator } from '../../regulator/paced-regulator.ts';
import type { Regulator } from '../../regulator/port.ts';
import { createRegulatorSessions, type RegulatorSessions } from '../../regulator/session.ts';
import { requireConnections } from './database-connections.ts';

export interface RunningPart {
  close(): Promise<void>;
}

/** The regulator's client, with the rate limit that all processes share. @param send a wrapped fetch, for metrics */
export function createRegulator(
  { regulator }: Config,
  database: Pick<Database, 'regulatorPace'>,
  send?: typeof fetch,
): Regulator {
  return createPacedRegulator(
    createRegulatorClient({ ...regulator, ...(send && { send }) }),
    database.regulatorPace(regulator.ratePerSecond),
  );
}

export function createSessions(
  config: Config,
  database: Pick<Database, 'regulatorSession' | 'regulatorPace'>,
  send?: typeof fetch,
): RegulatorSessions {
  return createRegulatorSessions(createRegulator(config, database, send), database.regulatorSession);
}

/**
 * @param needed number of connections; if fewer are configured, the process does not start
 * @param besidePool number of configured connections outside the pool
 */
export async function openConfiguredDatabase(
  config: Config,
  needed: number,
  besidePool = 0,
): Promise<Database> {
  requireConnections(config, needed);
  const { encryptionSecrets: given, dataDir } = config;
  const encryptionSecrets = given === undefined ? [await localSecret(dataDir)] : given;
  const poolSize = config.database.poolSize - besidePool;
  return openDatabase({ ...config.database, poolSize, encryptionSecrets });
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
