/** Parts that more than one process has, made from the configuration. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLocalStorage } from '../archive/local-storage.ts';
import type { ArchiveStorage } from '../archive/storage.ts';
import type { Config } from '../config.ts';
import { type Database, openDatabase } from '../database/index.ts';
import { createRegulatorClient } from '../regulator/http-client.ts';
import { createRegulatorSessions, type RegulatorSessions } from '../regulator/session.ts';

export interface RunningPart {
  close(): Promise<void>;
}

export function createSessions(
  config: Config,
  database: Pick<Database, 'regulatorSession'>,
): RegulatorSessions {
  return createRegulatorSessions(createRegulatorClient(config.regulator), database.regulatorSession);
}

export async function openConfiguredDatabase(config: Config): Promise<Database> {
  const encryptionSecret = config.encryptionSecret ?? (await localSecret(config.dataDir));
  return openDatabase({ url: config.database.url, poolSize: config.database.poolSize, encryptionSecret });
}

export function openStorage(config: Config): ArchiveStorage {
  const url = new URL(config.archive.url);
  if (url.protocol === 'file:') return createLocalStorage(fileURLToPath(url));
  throw new Error('STORAGE_URL: only file: is implemented');
}

/** Where no ENCRYPTION_SECRET is set, one of this data directory is made up and kept. */
async function localSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'encryption-secret');
  await mkdir(dataDir, { recursive: true });
  const candidate = `${path}.${process.pid}`;
  await writeFile(candidate, randomBytes(32).toString('base64'), { mode: 0o600 });
  // Linking is atomic: of several processes that start together, one makes the secret of all.
  await link(candidate, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(candidate);
  return (await readFile(path, 'utf8')).trim();
}
