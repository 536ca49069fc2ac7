/** The number of PostgreSQL connections that a process needs to avoid a deadlock on its pool. */
import { type Config, InvalidConfiguration } from '../../config/index.ts';
import type { WorkerRole } from '../../domain/task-queues.ts';

/** A renewal of the regulator session holds one connection for its lock while it writes with another. */
const RENEWAL = 2;

/** The leases of slots for calls to the regulator use a connection outside the pool. */
const FOR_LEASES = 1;

/** Connections beyond those of the renewal. Short queries share a connection. */
const OF_ROLE: Record<WorkerRole, (config: Config) => number> = {
  'package-import': () => 1,
  // Each reading of a package writes rows in bulk.
  'package-reading': ({ worker }) => worker.readingConcurrency,
  'regulator-insert': () => FOR_LEASES,
};

export function connectionsOfGateway(): number {
  return RENEWAL + 1;
}

export function connectionsOfWorker(config: Config): number {
  return config.worker.roles.reduce((sum, role) => sum + OF_ROLE[role](config), RENEWAL);
}

/** Number of a worker's connections outside its pool. */
export function connectionsBesidePool({ worker }: Config): number {
  return worker.roles.includes('regulator-insert') ? FOR_LEASES : 0;
}

/** @throws InvalidConfiguration if the process has too few connections */
export function requireConnections({ database }: Config, needed: number): void {
  if (database.poolSize >= needed) return;
  throw new InvalidConfiguration([
    `DATABASE_POOL_SIZE: ${database.poolSize} is too low; this process needs ${needed} connections (WORKER_ROLES)`,
  ]);
}
