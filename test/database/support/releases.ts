/**
 * The database of each release: its schema, the rows that it wrote, and the statements that it sends. `npm run prove --
 * record-release` records the current release (test/database/record-release.ts): rows by `to_jsonb`, statements by
 * pg_stat_statements, without those that PostgreSQL cannot prepare again from its own report.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from '../../../src/database/orm.ts';
import { VERSION } from '../../../src/processes/shared/logger.ts';
import { succeeds } from '../../support/eventually.ts';
import { createTestDatabase, runSql } from '../../support/servers.ts';
import type { Stack } from '../../support/starters/stack.ts';

export interface Release {
  version: string;
  /** File name of its newest migration. */
  lastMigration: string;
  /** By table. The tables are in an order in which they can be filled. */
  rows: Record<string, Record<string, unknown>[]>;
  /** With `$1` in place of values. */
  statements: string[];
}

const DIRECTORY = new URL('../releases/', import.meta.url);

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

/** Creates a database with the release's schema, without rows. @returns its URL */
export async function databaseOf({ lastMigration }: Release): Promise<string> {
  const { url, number } = await createTestDatabase();
  const name = `release_${number}`;
  await runSql(url, `create database ${name} template template0`);
  const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const orm = await connect(own);
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

/** Inserts the release's rows, and sets the sequences after them. */
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

/** Tables with rows of a release, in an order in which they can be filled. */
const TABLES = [
  ...['zip_import', 'notification', 'zip_import_file', 'idempotency_key', 'attachment', 'submitter'],
  ...['submission', 'submission_attachment', 'queue_result', 'import_retry', 'retry_result'],
  ...['webhook', 'webhook_delivery', 'statistics_line', 'statistics_day', 'audit_event', 'regulator_session'],
];

/** Statements of the service itself, without the recording's own queries of pg_stat_statements. */
const STATEMENTS = `
  select distinct query from pg_stat_statements
   where dbid = (select oid from pg_database where datname = current_database())
     and query ~* '^\\s*(select|insert|update|delete|with)\\M' and query !~ 'pg_stat_statements|to_jsonb\\(row\\)'
   order by query`;

/** Stores the rows of the current release in a stack's database, and the statements that it sent. */
export async function storeRelease({ sql, config }: Stack): Promise<void> {
  const statements: string[] = [];
  for (const { query } of await sql<{ query: string }>(STATEMENTS))
    if (await canBePrepared(sql, query)) statements.push(query);
  const migrations = await sql<{ name: string }>('select name from mikro_orm_migrations order by id');
  const rows: [string, string[]][] = [];
  for (const table of TABLES) {
    const found = await sql<{ row: object }>(`select to_jsonb(row) as row from "${table}" row order by 1`);
    rows.push([table, found.map(({ row }) => JSON.stringify(row).replaceAll(config.dataDir, '/data'))]);
  }
  const text = `{
  "lastMigration": ${JSON.stringify(migrations.at(-1)?.name)},
  "rows": {
${rows.map(([table, lines]) => `    "${table}": [\n${indented(lines)}\n    ]`).join(',\n')}
  },
  "statements": [
${indented(statements.map((statement) => JSON.stringify(statement)))}
  ]
}
`;
  await writeFile(new URL(`${VERSION}.json`, DIRECTORY), text);
}

const indented = (lines: string[]) => lines.map((line) => `      ${line}`).join(',\n');

function canBePrepared(sql: Stack['sql'], statement: string): Promise<boolean> {
  return succeeds(sql(`prepare again as ${statement}; deallocate again`));
}
