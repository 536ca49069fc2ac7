/** Default ports on one machine. PORT_OFFSET moves all of them, so that a second checkout can run beside the first. */
const USUAL_PORTS = {
  gateway: 8080,
  identityService: 8081,
  regulatorSimulator: 8082,
  temporal: 7233,
  temporalUi: 8233,
  postgres: 5433,
  mailbox: 1025,
  mailboxPages: 8025,
};

export type Ports = typeof USUAL_PORTS;

/** A greater offset would move a port beyond 65535. */
export const MAX_PORT_OFFSET = 65_535 - Math.max(...Object.values(USUAL_PORTS));

export function portsWith(offset: number): Ports {
  const moved = Object.entries(USUAL_PORTS).map(([part, port]) => [part, port + offset]);
  return Object.fromEntries(moved) as Ports;
}
