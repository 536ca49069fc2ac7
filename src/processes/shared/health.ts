/** Serves health and metrics of a gateway or a worker. */
import type { Config } from '../../config/index.ts';
import { createHealthServer, type HealthServerDependencies } from '../../http/health.ts';
import { listen } from '../../http/server.ts';
import type { RunningPart } from './parts.ts';
import { VERSION } from './version.ts';

/** Serves them on HEALTH_PORT. Serves nothing if that is 0. */
export async function serveHealth(
  { gateway: { host }, healthPort: port }: Config,
  dependencies: Omit<HealthServerDependencies, 'version'>,
): Promise<RunningPart> {
  if (port === 0) return { close: async () => {} };
  const server = await listen(createHealthServer({ ...dependencies, version: VERSION }), { host, port });
  return { close: () => server.close(0) };
}
