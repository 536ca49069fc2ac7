/** How our processes name themselves in Temporal: the Web UI shows it beside every event. */
import { hostname } from 'node:os';

/** @param template with `{role}`, `{host}` and `{pid}` where they are to stand */
export function identityOf(role: string, template = '{role}@{host}:{pid}'): string {
  const values: Record<string, string> = { role, host: hostname(), pid: String(process.pid) };
  return template.replace(/\{(role|host|pid)\}/g, (_whole, name: string) => values[name] ?? '');
}
