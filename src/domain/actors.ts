/** Names of actors in the audit trail and in notes. Workflows are named by their run, the service's parts as `service:<part>`. */

/** A program, by its client id. */
export function clientActor(clientId: string): string {
  return `client:${clientId}`;
}

/** A person who is logged in on the web page, by their name at the identity service. */
export function personActor(name: string): string {
  return `person:${name}`;
}
