/** Who did something, as the audit trail and notes name them. Workflows are named by their run, parts of ours as `service:<part>`. */

/** A program, by its client id. */
export function clientActor(clientId: string): string {
  return `client:${clientId}`;
}

/** Somebody who has logged in on the web page, by the name that the identity service knows. */
export function personActor(name: string): string {
  return `person:${name}`;
}
