/** A connection outside the pool: its statements wait neither for the pool nor behind other statements' limits. */
import { PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type Orm, onPoolCreated } from '../orm.ts';

/**
 * Connects with the first statement, and again after a lost connection.
 *
 * @param boundMs milliseconds for the answer to a statement, and for the connection
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
