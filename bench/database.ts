/**
 * Counts the work of a service in its database. PostgreSQL counts; the query runs in another database of the
 * same server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { readInt8AsNumber } from '../src/database/connections.ts';

export interface DatabaseCounts {
  /** Committed and rolled back. */
  transactions: number;
  statements: number;
  /** Size of the whole database. */
  bytes: number;
}

export interface ServiceDatabase {
  /** Runs statements in the service's database. */
  kysely: Kysely<unknown>;
  importUuid(importId: number): Promise<string>;
  /** Makes the server count statements from its next start. */
  loadStatementCounter(): Promise<void>;
  /** Calls of each statement, by its text. Needs the statement counter. */
  calls(): Promise<Map<string, number>>;
  /** Waits until every connection has reported its statistics. Needs the statement counter. */
  counts(): Promise<DatabaseCounts>;
  close(): Promise<void>;
}

/** An idle connection reports after ten seconds at the latest (PGSTAT_IDLE_INTERVAL in PostgreSQL's source). */
const REPORTED_AFTER_MS = 11_000;

export async function openServiceDatabase(url: string): Promise<ServiceDatabase> {
  const name = new URL(url).pathname.slice(1);
  const service = await connect(url);
  const beside = await connect(Object.assign(new URL(url), { pathname: '/postgres' }).href);
  return {
    kysely: service.kysely,
    async importUuid(importId) {
      const { rows } = await sql<{ uuid: string }>`
        select uuid from zip_import where id = ${importId}
      `.execute(service.kysely);
      if (!rows[0]) throw new Error(`There is no import ${importId}`);
      return rows[0].uuid;
    },
    async loadStatementCounter() {
      await sql`alter system set shared_preload_libraries = 'pg_stat_statements'`.execute(beside.kysely);
      await sql`create extension if not exists pg_stat_statements`.execute(beside.kysely);
    },
    calls,
    async counts() {
      await sleep(REPORTED_AFTER_MS);
      const { rows } = await sql<{ transactions: number; bytes: number }>`
        select xact_commit + xact_rollback as transactions, pg_database_size(datname) as bytes
          from pg_stat_database where datname = ${name}
      `.execute(beside.kysely);
      if (!rows[0]) throw new Error(`there is no database ${name}`);
      return { ...rows[0], statements: sum(await calls()) };
    },
    async close() {
      await service.close();
      await beside.close();
    },
  };

  async function calls(): Promise<Map<string, number>> {
    const { rows } = await sql<{ query: string; calls: number }>`
      select query, sum(calls)::bigint as calls from pg_stat_statements
       where dbid = (select oid from pg_database where datname = ${name}) group by query
    `.execute(beside.kysely);
    return new Map(rows.map(({ query, calls }) => [query, calls]));
  }
}

function sum(calls: ReadonlyMap<string, number>): number {
  return calls.values().reduce((all, some) => all + some, 0);
}

async function connect(clientUrl: string) {
  const orm = await MikroORM.init({
    clientUrl,
    driverOptions: { onPoolCreated: readInt8AsNumber },
    discovery: { warnWhenNoEntities: false },
    entities: [],
  });
  return { kysely: orm.em.fork().getKysely<unknown>(), close: () => orm.close(true) };
}
