/**
 * Inserts many rows with one statement and one JSON parameter. The ORM's own insert writes a literal for every value.
 * For rows that hold whole documents, that takes megabytes and blocks the event loop for a tenth of a second.
 */
import type { EntityManager, EntityName } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';

/** The first record of a package's file is kept. */
export const ONCE_PER_PATH = sql`on conflict (zip_import_id, entry_path) do nothing`;

/**
 * Inserts rows, given by their properties. Properties that no row has get their defaults.
 *
 * @param after end of the statement: a conflict clause, a `returning` clause
 */
export async function insertRows<Row extends object, Returned extends object = never>(
  em: EntityManager,
  entity: EntityName<Row>,
  rows: readonly Partial<Row>[],
  after: RawBuilder<unknown> = sql``,
): Promise<Returned[]> {
  const [first] = rows;
  if (!first) return [];
  const { tableName, properties } = em.getMetadata().get(entity);
  const columns = Object.keys(first).map((name) => ({ name, column: columnOf(properties, name) }));
  const records = rows.map((row) =>
    Object.fromEntries(columns.map(({ name, column }) => [column, asJson(row[name as keyof Row])])),
  );
  const table = sql.id(tableName);
  const list = sql.join(columns.map(({ column }) => sql.id(column)));
  const inserted = await sql<Returned>`
    insert into ${table} (${list})
    select ${list} from jsonb_populate_recordset(null::${table}, ${JSON.stringify(records)}::jsonb) ${after}
  `.execute(em.getKysely());
  return inserted.rows;
}

function columnOf(properties: Readonly<Record<string, { fieldNames: string[] }>>, name: string): string {
  const column = properties[name]?.fieldNames[0];
  if (column === undefined) throw new Error(`no such property: ${name}`);
  return column;
}

/** Converts a value to PostgreSQL's JSON input; bytes become its hex format. */
function asJson(value: unknown): unknown {
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
}
