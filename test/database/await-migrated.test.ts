/** A container waits for the migration before a gateway or a worker of a new version starts beside it. */
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/index.ts';
import { awaitMigrated, migrate } from '../../src/database/migrations.ts';
import { createTestDatabase, runSql } from '../support/servers.ts';

const OFTEN_MS = 50;

async function unmigratedDatabase(): Promise<{ url: string; name: string }> {
  const { url: existing, number } = await createTestDatabase();
  const name = `unmigrated_${number}`;
  await runSql(existing, `create database ${name}`);
  return { url: Object.assign(new URL(existing), { pathname: `/${name}` }).href, name };
}

async function missingDatabase(): Promise<{ url: string; existing: string; name: string }> {
  const { url: existing, number } = await createTestDatabase();
  const name = `missing_${number}`;
  return { url: Object.assign(new URL(existing), { pathname: `/${name}` }).href, existing, name };
}

it('processes that migrate at once take turns: one migrates, and the others find nothing left', async () => {
  const { url } = await unmigratedDatabase();
  const runs = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  expect(runs.map(({ length }) => length > 0).sort()).toEqual([false, false, true]);
});

it('processes that create the database at once take turns, too', async () => {
  const { url } = await missingDatabase();
  const runs = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  expect(runs.map(({ length }) => length > 0).sort()).toEqual([false, false, true]);
});

it('a process that does not migrate creates no database', async () => {
  const { url, existing, name } = await missingDatabase();
  const opened = openDatabase({ url, encryptionSecrets: null });
  await expect(opened).rejects.toThrow(`database "${name}" does not exist`);
  expect(await runSql(existing, `select 1 from pg_database where datname = '${name}'`)).toEqual([]);
});

it('a process waits until the schema is migrated, and changes nothing itself', async () => {
  const { url, name } = await unmigratedDatabase();
  const told: string[] = [];
  let isOver = false;
  const waiting = awaitMigrated(url, (reason) => told.push(reason), OFTEN_MS).then(() => {
    isOver = true;
  });
  await expect.poll(() => told.at(-1), { timeout: 30_000 }).toBe('no migration has run yet');
  expect(await runSql(url, "select 1 from information_schema.tables where table_schema = 'public'")).toEqual(
    [],
  );
  expect(isOver).toBe(false);
  await migrate(url);
  await waiting;
  // A server process ends shortly after its connection.
  await expect
    .poll(
      () =>
        runSql(url, `select pid from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`),
      { timeout: 30_000 },
    )
    .toEqual([]);
});
