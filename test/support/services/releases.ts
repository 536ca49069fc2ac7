/**
 * What earlier releases have left: their schema, rows that they wrote, and the statements that they send. Recorded once, from
 * the release itself: rows by `to_jsonb`, statements by pg_stat_statements while an example was imported, products were
 * rejected and retried, a package was unreadable, lists, reports, a repair pack and a dry run were asked for, and the
 * schedules ran; what PostgreSQL could not prepare again from its own report is left out.
 */
import { readdir, readFile } from 'node:fs/promises';
import { connect } from '../../../src/database/orm.ts';
import { createTestDatabase, runSql } from './servers.ts';

export interface Release {
  version: string;
  /** The newest of its migrations, by the name of its file. */
  lastMigration: string;
  /** By table, in an order in which they can be inserted. */
  rows: Record<string, Record<string, unknown>[]>;
  /** With `$1` for what differs. */
  statements: string[];
}

const DIRECTORY = new URL('../../database/releases/', import.meta.url);

/** The oldest first. */
export async function readReleases(): Promise<Release[]> {
  const files = (await readdir(DIRECTORY)).filter((name) => name.endsWith('.json'));
  const byVersion = files.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return Promise.all(
    byVersion.map(async (file) => {
      const release = JSON.parse(await readFile(new URL(file, DIRECTORY), 'utf8')) as Omit<
        Release,
        'version'
      >;
      return { version: file.replace(/\.json$/, ''), ...release };
    }),
  );
}

/** A database as the release would have it, without rows. @returns its URL */
export async function databaseOf({ lastMigration }: Release): Promise<string> {
  const { url, number } = await createTestDatabase();
  const name = `release_${number}`;
  await runSql(url, `create database ${name} template template0`);
  const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const orm = await connect(own);
  // It would be that of the release, in place of the one that is checked in.
  orm.config.set('migrations', { ...orm.config.get('migrations'), snapshot: false });
  try {
    const names = (await orm.migrator.getPending()).map(({ name }) => name);
    const last = names.indexOf(lastMigration);
    if (last < 0) throw new Error(`There is no migration ${lastMigration}, but ${names.join(', ')}`);
    await orm.migrator.up({ migrations: names.slice(0, last + 1) });
  } finally {
    await orm.close(true);
  }
  return own;
}

/** Writes what the release has left, and lets ids go on from there. */
export async function fill(url: string, { rows }: Release): Promise<void> {
  for (const [table, of] of Object.entries(rows)) {
    const json = JSON.stringify(of).replaceAll("'", "''");
    await runSql(
      url,
      `insert into "${table}" select * from jsonb_populate_recordset(null::"${table}", '${json}')`,
    );
    await runSql(
      url,
      `select setval(sequence, (select max((row->>'id')::bigint) from jsonb_array_elements('${json}') row))
         from pg_get_serial_sequence('${table}', 'id') sequence where sequence is not null`,
    ).catch((error: Error) => {
      if (!/column "id" of relation .* does not exist/.test(error.message)) throw error;
    });
  }
}
