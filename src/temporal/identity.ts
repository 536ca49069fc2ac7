/** How our processes name themselves in Temporal: the Web UI shows it beside every event. */
import { hostname } from 'node:os';

/** @param machine in place of this process's own, for pictures */
export function identityOf(role: string, machine = `${hostname()}:${process.pid}`): string {
  return `${role}@${machine}`;
}
