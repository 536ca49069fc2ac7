/**
 * Execution plans of the service's statements, logged by PostgreSQL's own module `auto_explain`. Tests need
 * no copies of the statements.
 */
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import { connect, type Orm } from '../../src/database/orm.ts';

/** The part of `pg`'s pool and its clients that this module uses. */
interface Listening {
  on(event: 'notice', listener: (notice: { message?: string }) => void): unknown;
}

export interface WatchedDatabase {
  orm: Orm;
  /** Runs something, and gives the plans of its statements, each with its text in front. */
  plansOf(work: () => Promise<unknown>): Promise<string[]>;
}

/** Every new connection to this database tells its plans. Needs a superuser. */
async function tellPlans(url: string): Promise<void> {
  const orm = await connect(url);
  const database = new URL(url).pathname.slice(1);
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    client_min_messages: 'log',
  };
  try {
    for (const [name, value] of Object.entries(settings))
      await orm.em.fork().execute(`alter database "${database}" set ${name} = '${value}'`);
  } finally {
    await orm.close(true);
  }
}

/** @param url of a database of which nobody else wants to know */
export async function watchPlans(url: string): Promise<WatchedDatabase> {
  await tellPlans(url);
  const orm = await connect(url);
  const pool = await (orm.em.getConnection() as PostgreSqlConnection).getNativeClient();
  const known = new WeakSet<object>();
  let plans: string[] = [];
  pool.on('acquire', (client: Listening) => {
    if (known.has(client)) return;
    known.add(client);
    client.on('notice', ({ message = '' }) => {
      const [, text] = message.split('Query Text: ');
      if (text !== undefined) plans.push(text);
    });
  });
  return {
    orm,
    async plansOf(work) {
      plans = [];
      await work();
      return plans;
    },
  };
}
