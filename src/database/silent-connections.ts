/**
 * A connection that says nothing is given up. A machine, a cable or a firewall may vanish without closing what went through
 * it: TCP then waits for a quarter of an hour, and so would whoever asked.
 *
 * On our side, and not by a setting of the session: a pooler that gives a connection for a transaction only knows none. The
 * driver's own `query_timeout` answers the question and leaves the connection in the pool, where the next one waits behind it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** For statements over many rows, one after the other, for which nobody waits. */
const LONG_MS = 10 * 60_000;

/** Idle connections are asked for a sign of life after this long, and given up another ten seconds later. */
export const KEEPALIVE_MS = 10_000;

/** For a connection to be made, or to become free in the pool. */
export const CONNECT_MS = 30_000;

/** As much of `pg`'s pool and its clients as this needs. */
interface Pool {
  on(event: 'connect', listener: (client: Client) => void): unknown;
}
interface Client {
  query(...args: unknown[]): unknown;
  readonly connection: { readonly stream: { destroy(error: Error): unknown } };
}

const bounds = new AsyncLocalStorage<number>();

/** Runs something whose statements may take ten minutes each: bulk deletions, upkeep of everything that is stored. */
export function withLongStatements<T>(work: () => Promise<T>): Promise<T> {
  return bounds.run(LONG_MS, work);
}

/** @param boundMs for the answer to a statement; none for a migration, of which nobody knows how long it takes */
export function endSilentConnections(pool: Pool, boundMs: number | null): void {
  if (boundMs === null) return;
  pool.on('connect', (client) => {
    const query = client.query.bind(client);
    client.query = (...args) => {
      // A stream of its own, which tells its progress to whoever reads or writes it.
      if (typeof (args[0] as { submit?: unknown } | undefined)?.submit === 'function') return query(...args);
      const ms = Math.max(boundMs, bounds.getStore() ?? 0);
      const reason = `PostgreSQL has not answered for ${ms / 1000} s`;
      const timer = setTimeout(() => client.connection.stream.destroy(new Error(reason)), ms);
      const answered = () => clearTimeout(timer);
      const callback = args.at(-1);
      if (typeof callback === 'function') {
        args[args.length - 1] = (...results: unknown[]) => {
          answered();
          callback(...results);
        };
        return query(...args);
      }
      return (query(...args) as Promise<unknown>).finally(answered);
    };
  });
}
