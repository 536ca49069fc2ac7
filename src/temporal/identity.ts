/** How our processes name themselves and their code in Temporal: the Web UI shows both beside every event. */
import { hostname } from 'node:os';

/** @param template with `{role}`, `{host}` and `{pid}` where they are to stand */
export function identityOf(role: string, template = '{role}@{host}:{pid}'): string {
  const values: Record<string, string> = { role, host: hostname(), pid: String(process.pid) };
  return template.replace(/\{(role|host|pid)\}/g, (_whole, name: string) => values[name] ?? '');
}

/** The version and the digest of the workflows: another one exactly when histories may replay differently. */
export function buildIdOf(version: string, { digest }: { digest: string }): string {
  return `${version}+${digest.slice(0, 12)}`;
}
