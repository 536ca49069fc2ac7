/** How many connections to PostgreSQL a process needs, so that nothing in it waits for what has to wait for it. */
import { type Config, InvalidConfiguration, type WorkerRole } from '../../config/index.ts';

/** A renewal of the regulator session keeps one for its lock while it writes with another. */
const RENEWAL = 2;

/** The leases of slots for calls to the regulator have a connection beside the pool. */
const FOR_LEASES = 1;

/** Beyond the renewal; what is short takes turns. */
const OF_ROLE: Record<WorkerRole, (config: Config) => number> = {
  'package-import': () => 1,
  // Each package that is read writes rows in bulk.
  'package-reading': ({ worker }) => worker.readingConcurrency,
  'regulator-insert': () => FOR_LEASES,
};

export function connectionsOfGateway(): number {
  return RENEWAL + 1;
}

export function connectionsOfWorker(config: Config): number {
  return config.worker.roles.reduce((sum, role) => sum + OF_ROLE[role](config), RENEWAL);
}

/** How many of a worker's connections are not in its pool. */
export function connectionsBesidePool({ worker }: Config): number {
  return worker.roles.includes('regulator-insert') ? FOR_LEASES : 0;
}

/** @throws InvalidConfiguration where a process would have too few */
export function requireConnections({ database }: Config, needed: number): void {
  if (database.poolSize >= needed) return;
  throw new InvalidConfiguration([
    `DATABASE_POOL_SIZE: ${database.poolSize} is too few; this process needs ${needed} connections (WORKER_ROLES)`,
  ]);
}
