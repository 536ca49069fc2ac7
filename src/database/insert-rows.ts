/**
 * Inserts many rows with one statement and one JSON parameter. The ORM's own insert writes a literal for every value.
 * For rows that hold whole documents, that takes megabytes and blocks the event loop for a tenth of a second.
 */
import type { EntityManager, EntityName } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

/** The first record of a package's file is kept. */
export const ONCE_PER_PATH = 'on conflict (zip_import_id, entry_path) do nothing';

/**
 * Inserts rows, given by their properties. Properties that no row has get their defaults.
 *
 * @param after end of the statement: a conflict clause, a `returning` clause
 */
export async function insertRows<Row extends object, Returned extends object = never>(
  em: EntityManager,
  entity: EntityName<Row>,
  rows: readonly Partial<Row>[],
  after = '',
): Promise<Returned[]> {
  const [first] = rows;
  if (!first) return [];
  const { tableName, properties } = em.getMetadata().get(entity);
  const columns = Object.keys(first).map((name) => ({ name, column: columnOf(properties, name) }));
  const list = columns.map(({ column }) => `"${column}"`).join(', ');
  const records = rows.map((row) =>
    Object.fromEntries(columns.map(({ name, column }) => [column, asJson(row[name as keyof Row])])),
  );
  // Not em.execute: it writes parameters into the text of the statement, character by character.
  const statement = CompiledQuery.raw(
    `insert into "${tableName}" (${list})
     select ${list} from jsonb_populate_recordset(null::"${tableName}", $1::jsonb) ${after}`,
    [JSON.stringify(records)],
  );
  return (await em.getKysely().executeQuery<Returned>(statement)).rows;
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
