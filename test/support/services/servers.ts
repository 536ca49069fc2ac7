/** The PostgreSQL and Temporal servers of this test run, started by test/support/global-setup.ts, and databases in them. */
import { MikroORM } from '@mikro-orm/postgresql';
import { inject } from 'vitest';
import { readInt8AsNumber } from '../../../src/database/read-int8.ts';
import { eventually } from '../eventually.ts';

/** @throws in a test file of the project `quick`, for which no servers are started */
export function postgresOfTests(): { port: number; user: string; password: string } {
  return provided(inject('postgres'));
}

/** `host:port`. @throws in a test file of the project `quick`, for which no servers are started */
export function temporalOfTests(): string {
  return provided(inject('temporalAddress'));
}

// A value that was not provided is undefined, although its type excludes that.
function provided<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error(
      'No servers are started for this test file: it does not import test/support/services statically.',
    );
  return value;
}

/** Creates a database from the migrated template. Its number is unique. */
export async function createTestDatabase(): Promise<{ url: string; number: number }> {
  const { port, user, password } = postgresOfTests();
  const server = `postgresql://${user}:${password}@127.0.0.1:${port}`;
  const admin = await MikroORM.init({
    clientUrl: `${server}/postgres`,
    discovery: { warnWhenNoEntities: false },
    entities: [],
  });
  try {
    const run = (sql: string) => admin.em.getConnection().execute(sql);
    const [row] = (await run("select nextval('test_database')::int as number")) as { number: number }[];
    const number = row?.number ?? 0;
    // PostgreSQL copies a template for one database at a time.
    await eventually(() =>
      run(`create database test_${number} template template_package_import`).then(
        () => true,
        () => false,
      ),
    );
    return { url: `${server}/test_${number}`, number };
  } finally {
    await admin.close(true);
  }
}

export async function runSql<T>(url: string, statement: string): Promise<T[]> {
  const orm = await MikroORM.init({
    clientUrl: url,
    driverOptions: { onPoolCreated: readInt8AsNumber },
    discovery: { warnWhenNoEntities: false },
    entities: [],
  });
  try {
    return (await orm.em.getConnection().execute(statement)) as T[];
  } finally {
    await orm.close(true);
  }
}
