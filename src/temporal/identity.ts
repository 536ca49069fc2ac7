/** Identities of our processes in Temporal, which the Web UI shows beside every event. */
import { hostname } from 'node:os';

/** @param machine replaces this process's own, for pictures */
export function identityOf(role: string, machine = `${hostname()}:${process.pid}`): string {
  return `${role}@${machine}`;
}
