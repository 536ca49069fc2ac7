/**
 * Runs a statement that is prepared once per connection, with separate parameters. It serves statements that run
 * several times for every product: `em.execute` writes parameters into the text of the statement, character by
 * character.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { Orm } from './orm.ts';

/** @param statement with `$1`, `$2` … as parameters */
export async function query<Row>(
  on: Orm | EntityManager,
  statement: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const em = 'em' in on ? on.em.fork() : on;
  return (await em.getKysely().executeQuery<Row>(CompiledQuery.raw(statement, [...values]))).rows;
}
