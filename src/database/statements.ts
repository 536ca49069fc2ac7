/** SQL statements. The columns of their rows get the names of properties: `entry_index` becomes `entryIndex`. */
import type { EntityManager, EntityName } from '@mikro-orm/postgresql';
import { CamelCasePlugin, type KyselyPlugin, type RawBuilder, sql } from 'kysely';

const camelCase = new CamelCasePlugin({ maintainNestedObjectKeys: true });

/** Statements have the names of the database already: only their results are renamed. */
const NAMES_OF_PROPERTIES: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: (args) => camelCase.transformResult(args),
};

/** A template, as that of Kysely's `sql`: its values are parameters. */
type Template = [TemplateStringsArray, ...unknown[]];

/**
 * Runs statements.
 *
 * @param em of the transaction in which the statements run; a fork for statements by themselves
 */
export function statements(em: EntityManager) {
  const execute = <Row>(template: Template) =>
    sql<Row>(...template).execute(em.getKysely().withPlugin(NAMES_OF_PROPERTIES));

  return {
    async rows<Row>(...template: Template): Promise<Row[]> {
      return (await execute<Row>(template)).rows;
    },

    /** The first row; undefined without one. */
    async row<Row>(...template: Template): Promise<Row | undefined> {
      return (await execute<Row>(template)).rows[0];
    },

    /** Returns the number of changed rows. */
    async run(...template: Template): Promise<number> {
      return Number((await execute(template)).numAffectedRows ?? 0);
    },
  };
}

/** Columns of an entity as a statement selects them: none is undefined. */
export type Columns<Row, Name extends keyof Row> = { [Column in Name]: Exclude<Row[Column], undefined> };

/** The first record of a package's file is kept. */
export const ONCE_PER_PATH = sql`on conflict (zip_import_id, entry_path) do nothing`;

/**
 * Inserts rows, given by their properties, with one JSON parameter. The ORM's own insert writes a literal for every
 * value: for rows that hold whole documents, that takes megabytes and blocks the event loop for a tenth of a second.
 * Properties that no row has get their defaults.
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
  return statements(em).rows<Returned>`
    insert into ${table} (${list})
    select ${list} from jsonb_populate_recordset(null::${table}, ${JSON.stringify(records)}::jsonb) ${after}
  `;
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
