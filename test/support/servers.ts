/**
 * The PostgreSQL and Temporal servers of this test run, started by test/support/global-setup.ts, and databases in them.
 */
import { MikroORM } from '@mikro-orm/postgresql';
import { Connection } from '@temporalio/client';
import { inject } from 'vitest';
import { onPoolCreated } from '../../src/database/orm.ts';
import { atEnd } from './cleanup.ts';
import { eventually, succeeds } from './eventually.ts';
import { abandonNamespace, registerNamespace } from './namespace.ts';

/** `host:port`. @throws in a test file of the project `quick`, for which no servers are started */
export function temporalOfTests(): string {
  return provided(inject('temporalAddress'));
}

// A value that was not provided is undefined, although its type excludes that.
function provided<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error(
      'No servers are started for this test file: it does not import test/support/servers.ts statically.',
    );
  return value;
}

/** Creates a database from the migrated template. Its number is unique. */
export async function createTestDatabase(): Promise<{ url: string; number: number }> {
  const server = serverUrl();
  const number = await nextNumber('test_database');
  // PostgreSQL copies a template for one database at a time.
  await eventually(() =>
    succeeds(runSql(`${server}/postgres`, `create database test_${number} template template_package_import`)),
  );
  return { url: `${server}/test_${number}`, number };
}

/**
 * Registers a Temporal namespace for one stack, because the task queues have fixed names. It is abandoned at the end: the
 * server has workers for each, and runs its schedules.
 */
export async function newNamespace(): Promise<string> {
  const namespace = `test-${await nextNumber('test_namespace')}`;
  const connection = await Connection.connect({ address: temporalOfTests() });
  await registerNamespace(connection, namespace);
  atEnd(async () => {
    await abandonNamespace(connection, namespace);
    await connection.close();
  });
  return namespace;
}

async function nextNumber(sequence: string): Promise<number> {
  const [row] = await runSql<{ number: number }>(
    `${serverUrl()}/postgres`,
    `select nextval('${sequence}') as number`,
  );
  return row?.number ?? 0;
}

/** Without a database. @throws in a test file of the project `quick`, for which no servers are started */
function serverUrl(): string {
  return provided(inject('postgresUrl'));
}

const connected = new Map<string, Promise<MikroORM>>();

/** Runs a statement. Statements with the same URL share a pool until the end. */
export async function runSql<T>(url: string, statement: string): Promise<T[]> {
  const orm = connected.get(url) ?? connect(url);
  connected.set(url, orm);
  return (await (await orm).em.getConnection().execute(statement)) as T[];
}

async function connect(url: string): Promise<MikroORM> {
  const orm = await MikroORM.init({
    clientUrl: url,
    driverOptions: { onPoolCreated: onPoolCreated(null) },
    discovery: { warnWhenNoEntities: false },
    entities: [],
  });
  atEnd(async () => {
    connected.delete(url);
    await orm.close(true);
  });
  return orm;
}
