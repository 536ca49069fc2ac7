/**
 * The database of each release: its schema, rows that it wrote, and the statements that it sends. `npm run prove --
 * record-release` records those of the present one (test/database/record-release.ts): rows by `to_jsonb`, statements by
 * pg_stat_statements, without those that PostgreSQL cannot prepare again from its own report.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from '../../../src/database/orm.ts';
import { VERSION } from '../../../src/processes/shared/version.ts';
import type { TestStack } from './in-process-stack.ts';
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

/** Tables with rows that a release leaves, in an order in which they can be inserted. */
const TABLES = [
  ...['zip_import', 'notification', 'zip_import_file', 'idempotency_key', 'attachment', 'submitter'],
  ...['submission', 'submission_attachment', 'queue_result', 'import_retry', 'retry_result'],
  ...[
    'webhook',
    'webhook_delivery',
    'daily_statistics',
    'statistics_day',
    'audit_event',
    'regulator_session',
  ],
];

/** Statements of the service itself: what the recording asks of pg_stat_statements is not among them. */
const STATEMENTS = `
  select distinct query from pg_stat_statements
   where dbid = (select oid from pg_database where datname = current_database())
     and query ~* '^\\s*(select|insert|update|delete|with)\\M' and query !~ 'pg_stat_statements|to_jsonb\\(row\\)'
   order by query`;

/** Stores what the present release has left in the database of a stack, and sent to it. */
export async function storeRelease({ sql, config }: TestStack): Promise<void> {
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

function canBePrepared(sql: TestStack['sql'], statement: string): Promise<boolean> {
  return sql(`prepare again as ${statement}`).then(
    () => true,
    () => false,
  );
}
