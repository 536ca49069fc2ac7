/** The types that are used here; the package itself has none. */
declare module 'pg-copy-streams' {
  import type { Writable } from 'node:stream';

  /** To be given to `client.query`: what is written to it goes to the server. @param statement `copy … from stdin` */
  export function from(statement: string): Writable;
}
