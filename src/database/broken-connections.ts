/**
 * A connection that breaks in the middle of a transaction leaves its pool. Kysely's controlled transactions, on which
 * MikroORM's are built, give a connection back only after a COMMIT or ROLLBACK that succeeded: each lost answer to a
 * COMMIT would take one place of the pool for as long as the process lives, until there is none left and everything waits.
 */

/** As much of `pg`'s pool and its clients as this needs. */
interface Pool {
  on(event: 'connect', listener: (client: Client) => void): unknown;
}
interface Client {
  release?: Release;
  once(event: 'end', listener: () => void): unknown;
}
/** @param destroy the connection is not used again */
type Release = (destroy?: boolean) => void;

export function releaseBrokenConnections(pool: Pool): void {
  pool.on('connect', (client) => {
    let release: Release = () => {};
    // The pool sets it each time that somebody gets the client; whoever had it may still give it back after us.
    Object.defineProperty(client, 'release', {
      configurable: true,
      get: () => release,
      set: (given: Release) => {
        release = once(given);
      },
    });
    client.once('end', () => release(true));
  });
}

function once(given: Release): Release {
  let done = false;
  return (destroy) => {
    if (done) return;
    done = true;
    given(destroy);
  };
}
