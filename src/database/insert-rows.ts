/**
 * Many rows in one statement, as one JSON parameter. The ORM's own insert makes a statement with a literal for every
 * value, which takes megabytes and stops the event loop for a tenth of a second where rows hold whole documents.
 */
import type { EntityManager, EntityName } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

/** What was recorded of a file of a package stays. */
export const ONCE_PER_PATH = 'on conflict (zip_import_id, entry_path) do nothing';

/**
 * Inserts rows given by their properties; properties that no row has get their defaults.
 *
 * @param after what follows the rows in the statement: a conflict clause, what to return
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
  // Not em.execute: that puts parameters into the text of the statement, character by character.
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

/** As PostgreSQL reads it from JSON; bytes in its hex format. */
function asJson(value: unknown): unknown {
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
}
