/**
 * Removes a connection from its pool when it breaks in the middle of a transaction. Kysely's controlled transactions,
 * the base of MikroORM's, return a connection only after a successful COMMIT or ROLLBACK. Without this module, each
 * lost answer to a COMMIT would occupy one place of the pool until the process ends.
 */

/** The part of `pg`'s pool and clients that this module uses. */
interface Pool {
  on(event: 'connect', listener: (client: Client) => void): unknown;
}
interface Client {
  release?: Release;
  once(event: 'end', listener: () => void): unknown;
}
/** @param destroy removes the connection from the pool */
type Release = (destroy?: boolean) => void;

export function releaseBrokenConnections(pool: Pool): void {
  pool.on('connect', (client) => {
    let release: Release = () => {};
    // The pool sets it for each borrower of the client. The borrower may still return the client after this module did.
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
