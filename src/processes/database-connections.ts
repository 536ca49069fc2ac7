/** How many connections to PostgreSQL a process needs, so that nothing in it waits for what has to wait for it. */
import { type Config, InvalidConfiguration, type WorkerRole } from '../config.ts';

/** A renewal of the regulator session keeps one for its lock while it writes with another. */
const RENEWAL = 2;

/** Beyond the renewal; what is short takes turns. */
const OF_ROLE: Record<WorkerRole, (config: Config) => number> = {
  'package-import': () => 1,
  // Each package that is read writes rows in bulk.
  'package-reading': ({ worker }) => worker.readingConcurrency,
  // Leases of slots are prolonged beside the steps.
  'regulator-insert': () => 1,
};

export function connectionsOfGateway(): number {
  return RENEWAL + 1;
}

export function connectionsOfWorker(config: Config): number {
  return config.worker.roles.reduce((sum, role) => sum + OF_ROLE[role](config), RENEWAL);
}

/** @throws InvalidConfiguration where a process would have too few */
export function requireConnections({ database }: Config, needed: number): void {
  if (database.poolSize >= needed) return;
  throw new InvalidConfiguration(
    `DATABASE_POOL_SIZE: ${database.poolSize} is too few; this process needs ${needed} connections (WORKER_ROLES, READING_CONCURRENCY).`,
  );
}
