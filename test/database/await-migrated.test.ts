/** A container waits for the migration before a gateway or a worker of a new version starts beside it. */
import { expect, it } from 'vitest';
import { awaitMigrated, migrate } from '../../src/database/migrations.ts';
import { createTestDatabase, runSql } from '../support/servers.ts';

const OFTEN_MS = 50;

it('a process waits until the schema is migrated, and changes nothing itself', async () => {
  const { url: existing, number } = await createTestDatabase();
  const name = `unmigrated_${number}`;
  const url = Object.assign(new URL(existing), { pathname: `/${name}` }).href;
  await runSql(existing, `create database ${name}`);
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
