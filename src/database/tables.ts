/**
 * The tables as Kysely's types, derived from the entities: for reading plain columns under the names that the caller
 * wants. What counts, locks, or writes many rows stays SQL, which says it shorter.
 */
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { entities } from './entities/index.ts';

type Entities = InferKyselyDB<(typeof entities)[number]>;

/** What the driver gives for a column: timestamps come as text. */
type Column<T> = T extends Date ? string : T;

export type Tables = {
  [Table in keyof Entities]: { [Name in keyof Entities[Table]]: Column<Entities[Table][Name]> };
};
