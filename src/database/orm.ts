/** MikroORM for this service: PostgreSQL, checked-in migrations, no cached global instance. */
import { fileURLToPath } from 'node:url';
import { IsolationLevel } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM, PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { tlsOptions } from './connection-url.ts';
import {
  CONNECT_MS,
  endLateConnections,
  endSilentConnections,
  KEEPALIVE_MS,
  type Pool,
  prepareMarked,
  readInt8AsNumber,
  readTimesAsDates,
  releaseBrokenConnections,
} from './connections.ts';
import { entities } from './entities/index.ts';

const MIGRATIONS_DIR = fileURLToPath(new URL('./migrations', import.meta.url));

export type Orm = MikroORM;

export interface ConnectOptions {
  poolSize?: number;
  /** Milliseconds for the answer to a statement, half a minute or more in production; null for no limit. */
  queryMs?: number | null;
  /** Milliseconds for a connection. */
  connectMs?: number;
}

const QUERY_MS = 60_000;

/**
 * Connects to PostgreSQL.
 *
 * @param url `postgresql://user:password@host:port/database?sslmode=verify-full`
 * @throws when the database cannot be reached
 */
export async function connect(
  url: string,
  { poolSize = 10, queryMs = QUERY_MS, connectMs = CONNECT_MS }: ConnectOptions = {},
): Promise<Orm> {
  const ssl = await tlsOptions(url);
  return MikroORM.init({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    migrations: {
      path: MIGRATIONS_DIR,
      // MikroORM drafts a migration from a migrated database, not from a snapshot file.
      snapshot: false,
      dropTables: false,
      // Each migration runs by itself: one that builds an index concurrently cannot run in a transaction.
      allOrNothing: false,
      fileName: (timestamp, name) => `${timestamp}-${name ?? 'change'}`,
      silent: true,
    },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      ssl,
      onPoolCreated: onPoolCreated(queryMs),
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
    },
    forceUtcTimezone: true,
  });
}

/**
 * Configures every pool.
 *
 * @param queryMs milliseconds for the answer to a statement; null for no limit
 */
export function onPoolCreated(queryMs: number | null) {
  return (pool: Pool) => {
    readInt8AsNumber(pool);
    readTimesAsDates(pool);
    prepareMarked(pool);
    releaseBrokenConnections(pool);
    endLateConnections(pool);
    endSilentConnections(pool, queryMs);
  };
}

/**
 * A connection outside the pool: its statements wait neither for the pool nor behind other statements' limits. It
 * connects with the first statement, and again after a lost connection.
 *
 * @param boundMs milliseconds for the answer to a statement, and for the connection
 */
export function ownConnection(orm: Orm, boundMs: number): Kysely<unknown> {
  const connection = new PostgreSqlConnection(orm.config, {
    driverOptions: {
      ...orm.config.get('driverOptions'),
      max: 1,
      connectionTimeoutMillis: boundMs,
      onPoolCreated: onPoolCreated(boundMs),
    },
  });
  return connection.getClient();
}

/**
 * Runs reads on one consistent snapshot of the database.
 *
 * @param read must end soon: it holds a connection and delays the removal of old row versions
 */
export function onSnapshot<T>(orm: Orm, read: (em: EntityManager) => Promise<T>): Promise<T> {
  return orm.em
    .fork()
    .transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
}
