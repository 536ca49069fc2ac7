import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Orm } from './orm.ts';

/**
 * Runs reads on one consistent snapshot of the database.
 *
 * @param read must end soon: it holds a connection and delays the removal of old row versions
 */
export function onSnapshot<T>(orm: Orm, read: (em: EntityManager) => Promise<T>): Promise<T> {
  return orm.em
    .fork()
    .transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
}
