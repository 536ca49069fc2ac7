/**
 * Counts the work of a service in its database. PostgreSQL counts; the query runs in another database of the
 * same server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { readInt8AsNumber } from '../src/database/read-int8.ts';

export interface DatabaseCounts {
  /** Committed and rolled back. */
  transactions: number;
  /** Null when the server does not count them. */
  statements: number | null;
  /** Size of the whole database. */
  bytes: number;
}

export interface ServiceDatabase {
  /** Runs a statement in the service's database. */
  sql<T>(statement: string, parameters?: unknown[]): Promise<T[]>;
  importUuid(importId: number): Promise<string>;
  /** Makes the server load its statement counter at its next start. */
  loadStatementCounter(): Promise<void>;
  /** Calls of each statement, by its text; empty when the server does not count them. */
  calls(): Promise<Map<string, number>>;
  /** Waits until every connection has reported its statistics. */
  counts(): Promise<DatabaseCounts>;
  close(): Promise<void>;
}

/** An idle connection reports after ten seconds at the latest (PGSTAT_IDLE_INTERVAL in PostgreSQL's source). */
const REPORTED_AFTER_MS = 11_000;

export async function openServiceDatabase(url: string): Promise<ServiceDatabase> {
  const name = new URL(url).pathname.slice(1);
  const service = await connect(url);
  const beside = await connect(Object.assign(new URL(url), { pathname: '/postgres' }).href);
  const countsStatements = await beside.sql<{ loaded: boolean }>(
    `select current_setting('shared_preload_libraries') like '%pg_stat_statements%' as loaded`,
  );
  const statements = countsStatements[0]?.loaded === true;
  if (statements) await beside.sql('create extension if not exists pg_stat_statements');
  return {
    sql: service.sql,
    async importUuid(importId) {
      const [row] = await service.sql<{ uuid: string }>('select uuid from zip_import where id = ?', [
        importId,
      ]);
      if (!row) throw new Error(`there is no import ${importId}`);
      return row.uuid;
    },
    async loadStatementCounter() {
      await beside.sql(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
    },
    calls,
    async counts() {
      await sleep(REPORTED_AFTER_MS);
      const [row] = await beside.sql<{ transactions: string; bytes: string }>(
        `select xact_commit + xact_rollback as transactions, pg_database_size(datname) as bytes
         from pg_stat_database where datname = ?`,
        [name],
      );
      return {
        transactions: Number(row?.transactions),
        statements: statements ? sum(await calls()) : null,
        bytes: Number(row?.bytes),
      };
    },
    async close() {
      await service.close();
      await beside.close();
    },
  };

  async function calls(): Promise<Map<string, number>> {
    if (!statements) return new Map();
    const rows = await beside.sql<{ query: string; calls: string }>(
      `select query, sum(calls) as calls from pg_stat_statements
       where dbid = (select oid from pg_database where datname = ?) group by query`,
      [name],
    );
    return new Map(rows.map((row) => [row.query, Number(row.calls)]));
  }
}

function sum(calls: ReadonlyMap<string, number>): number {
  return calls.values().reduce((all, some) => all + some, 0);
}

/** Statements with `?` for their values. */
async function connect(clientUrl: string) {
  const orm = await MikroORM.init({
    clientUrl,
    driverOptions: { onPoolCreated: readInt8AsNumber },
    discovery: { warnWhenNoEntities: false },
    entities: [],
  });
  return {
    sql: async <T>(statement: string, parameters: unknown[] = []): Promise<T[]> =>
      (await orm.em.getConnection().execute(statement, parameters)) as T[],
    close: () => orm.close(true),
  };
}
