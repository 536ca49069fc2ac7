/**
 * The tables as Kysely's types, derived from the entities, for queries of plain columns under chosen names. Statements
 * that count, lock or write many rows use Kysely's `sql`, which is shorter.
 */
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { entities } from './entities/index.ts';

type Entities = InferKyselyDB<(typeof entities)[number]>;

/** Type of a column in the driver's result: timestamps are text. */
type Column<T> = T extends Date ? string : T;

export type Tables = {
  [Table in keyof Entities]: { [Name in keyof Entities[Table]]: Column<Entities[Table][Name]> };
};
