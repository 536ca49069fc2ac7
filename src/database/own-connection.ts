/**
 * A connection beside the pool: its statements wait neither for places in the pool nor for the bound of other statements.
 */
import { PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type Orm, onPoolCreated } from './orm.ts';

/**
 * Connects with the first statement, and again after the connection was lost.
 *
 * @param boundMs for the answer to a statement, and for the connection
 */
export function ownConnection(orm: Orm, boundMs: number): Kysely<unknown> {
  const connection = new PostgreSqlConnection(orm.config, {
    driverOptions: {
      ...orm.config.get('driverOptions'),
      max: 1,
      connectionTimeoutMillis: boundMs,
      onPoolCreated: onPoolCreated(boundMs),
    },
  });
  return connection.getClient();
}
