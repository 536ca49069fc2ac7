/**
 * Names of actors in the audit trail and in notes. Workflows are named by their run, the service's parts as
 * `service:<part>`.
 */

/** A program, by its client id. */
export function clientActor(clientId: string): string {
  return `client:${clientId}`;
}

const PERSON = 'person:';

/**
 * A person who is logged in on the web page: `person:<sub> (<name>)`. The identity service never changes `sub`. People
 * may change their name, so the name is only appended. It is left out if it is `sub` itself.
 *
 * @param sub printable ASCII; a blank becomes `%20`, so that the name begins after the first one
 */
export function personActor(sub: string, name: string | null): string {
  const id = PERSON + sub.replaceAll(' ', '%20');
  return name === null || name === sub ? id : `${id} (${name})`;
}

/** Whether the text names a person, with or without the name. */
export function isPerson(actor: string): boolean {
  return actor.startsWith(PERSON);
}

/** The actor without the name of a person, which stays in PostgreSQL (decision §runs-in-temporal). */
export function withoutName(actor: string): string {
  return isPerson(actor) ? (actor.split(' ', 1)[0] ?? actor) : actor;
}

/**
 * Separates the client id from the digest of the submitters in the name of a tenant. No client id contains it: they are
 * printable ASCII.
 */
export const TENANT_SEPARATOR = '·';

/** Takes the place of a person after AUDIT_RETENTION_DAYS (decision §retention). */
export const FORGOTTEN_PERSON = `${PERSON}forgotten`;
