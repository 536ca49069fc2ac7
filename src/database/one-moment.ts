import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Orm } from './orm.ts';

/** @param read sees everything as it was at one moment. To be over soon, as it keeps a connection to itself, and old versions of rows from being removed */
export function atOneMoment<T>(orm: Orm, read: (em: EntityManager) => Promise<T>): Promise<T> {
  return orm.em
    .fork()
    .transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
}
