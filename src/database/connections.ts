/**
 * Closes a connection whose statement gets no answer. A machine, a cable or a firewall may vanish without closing its
 * connections. TCP reports that only after a quarter of an hour.
 *
 * The limit is in the client and not a setting of the session, because a pooler in transaction mode supports none. The
 * driver's own `query_timeout` rejects the query but leaves the connection in the pool, where the next query waits
 * behind it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { sql } from 'kysely';

/** Limit for statements over many rows, which no client waits for. */
const LONG_MS = 10 * 60_000;

/** Idle time until TCP keepalive probes begin. Ten seconds later a connection without an answer ends. */
export const KEEPALIVE_MS = 10_000;

/** Limit for opening a connection, or for a free one in the pool. */
export const CONNECT_MS = 30_000;

/** The part of `pg`'s pool and clients that this module uses. */
export interface Pool {
  options: { types: { setTypeParser(type: number, parse: (text: string) => unknown): void } };
  on(event: 'connect', listener: (client: Client) => void): unknown;
  /** Whether its end has begun. */
  readonly ending: boolean;
}
interface Client {
  query(...args: unknown[]): unknown;
  end(): unknown;
  release?: Release;
  once(event: 'end', listener: () => void): unknown;
  readonly connection: { readonly stream: { destroy(error: Error): unknown } };
}
/** @param destroy removes the connection from the pool */
type Release = (destroy?: boolean) => void;

const bounds = new AsyncLocalStorage<number>();

/** Runs work whose statements may take ten minutes each: bulk deletions, maintenance over all stored data. */
export function withLongStatements<T>(work: () => Promise<T>): Promise<T> {
  return bounds.run(LONG_MS, work);
}

/** @param boundMs milliseconds for the answer to a statement; null for a migration, whose duration is unknown */
export function endSilentConnections(pool: Pool, boundMs: number | null): void {
  if (boundMs === null) return;
  pool.on('connect', (client) => {
    const query = client.query.bind(client);
    client.query = (...args) => {
      const answer = query(...args);
      // A stream reports its progress to its own reader or writer.
      if (!(answer instanceof Promise)) return answer;
      const ms = Math.max(boundMs, bounds.getStore() ?? 0);
      const reason = `PostgreSQL has not answered for ${ms / 1000} s`;
      const silent = Object.assign(new Error(reason), { code: 'ETIMEDOUT' });
      const timer = setTimeout(() => client.connection.stream.destroy(silent), ms);
      return answer.finally(() => clearTimeout(timer));
    };
  });
}

/**
 * Removes a connection from its pool when it breaks in the middle of a transaction. Kysely's controlled transactions,
 * the base of MikroORM's, return a connection only after a successful COMMIT or ROLLBACK. Without this function, each
 * lost answer to a COMMIT would occupy one place of the pool until the process ends.
 */
export function releaseBrokenConnections(pool: Pool): void {
  pool.on('connect', (client) => {
    let release: Release = () => {};
    // The pool sets it for each borrower of the client. The borrower may still return the client after this module did.
    Object.defineProperty(client, 'release', {
      configurable: true,
      get: () => release,
      set: (given: Release) => {
        release = (destroy) => {
          release = () => {};
          given(destroy);
        };
      },
    });
    client.once('end', () => release(true));
  });
}

/**
 * Ends a connection that opens after the end of its pool has begun. Kysely then fails before it returns the connection
 * (`PostgresDriver.acquireConnection`), and the end of the pool waits for every connection. `releaseBrokenConnections`
 * returns the ended one.
 */
export function endLateConnections(pool: Pool): void {
  pool.on('connect', (client) => {
    if (pool.ending) client.end();
  });
}

const MARK = '/* prepared */';

/**
 * Begins a statement that runs for every product. Each connection parses and plans it once: for a step of an insert,
 * that takes PostgreSQL longer than the change itself. Its text must not depend on its values.
 */
export const PREPARED = sql.raw(MARK);

/**
 * PostgreSQL's answers to a prepared statement that its connection cannot run: invalid_sql_statement_name,
 * duplicate_prepared_statement, protocol_violation for other parameters, and feature_not_supported for a result whose
 * columns have changed their types.
 */
const UNUSABLE_PREPARED_STATEMENT = ['26000', '42P05', '08P01', '0A000'];

/**
 * Has the connections of a pool prepare the statements that begin with `PREPARED`. Some prepared statements fail behind a
 * pooler that does not support them, and after a migration that changes the type of a returned column. After the first
 * failure the process prepares no more.
 */
export function prepareMarked(pool: Pool): void {
  let isUsable = true;
  pool.on('connect', (client) => {
    const query = client.query.bind(client);
    client.query = (text, values, ...others) => {
      if (!isUsable || typeof text !== 'string' || !text.startsWith(MARK))
        return query(text, values, ...others);
      const answer = query({ name: nameOf(text), text, values }) as Promise<unknown>;
      return answer.catch((error: { code?: string }) => {
        if (UNUSABLE_PREPARED_STATEMENT.includes(error.code ?? '')) isUsable = false;
        throw error;
      });
    };
  });
}

/** The name depends on the text alone: a pooler may run a statement that another process has prepared under this name. */
const nameOf = (text: string) => hash('sha256', text).slice(0, 32);

const INT8 = 20;

/**
 * Reads PostgreSQL's `bigint` (ids, sizes, counts) as a number, for MikroORM, Kysely and plain statements alike. The
 * driver returns text.
 */
export function readInt8AsNumber({ options: { types } }: Pool): void {
  types.setTypeParser(INT8, exactNumber);
}

const TIMESTAMPTZ = 1184;

/** Reads PostgreSQL's `timestamptz` as a `Date`, likewise. In JSON it is text. */
export function readTimesAsDates({ options: { types } }: Pool): void {
  types.setTypeParser(TIMESTAMPTZ, (text) => new Date(text));
}

/** @throws RangeError above 2^53, where a number cannot represent every id */
function exactNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`The database has returned ${text}, which is too large for an exact number`);
  return number;
}
