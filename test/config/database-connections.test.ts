/** A process that would have too few connections to PostgreSQL for what it does is not started. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import {
  connectionsBesidePool,
  connectionsOfGateway,
  connectionsOfWorker,
  requireConnections,
} from '../../src/processes/shared/parts.ts';

const neededBy = (env: Record<string, string>, readingConcurrency = 2) => {
  const config = loadConfig(env);
  return connectionsOfWorker({ ...config, worker: { ...config.worker, readingConcurrency } });
};

describe('the required number of connections', () => {
  it('grows with the roles of a worker, and with the packages that it reads at once', () => {
    expect(connectionsOfGateway()).toBe(3);
    expect(neededBy({ WORKER_ROLES: 'package-import' })).toBe(3);
    expect(neededBy({ WORKER_ROLES: 'package-import,regulator-insert' })).toBe(4);
    expect(neededBy({})).toBe(6);
    expect(neededBy({ WORKER_ROLES: 'package-reading' }, 9)).toBe(11);
  });

  it('includes the connection for leases of slots beside the pool', () => {
    const besidePool = (roles: string) => connectionsBesidePool(loadConfig({ WORKER_ROLES: roles }));
    expect(besidePool('regulator-insert')).toBe(1);
    expect(besidePool('package-import,package-reading')).toBe(0);
  });

  it('is below the default', () => {
    const config = loadConfig({});
    expect(connectionsOfWorker(config)).toBeLessThanOrEqual(config.database.poolSize);
  });

  it('is reported with the name of the variable when fewer are configured', () => {
    const config = loadConfig({ DATABASE_POOL_SIZE: '5' });
    const needed = connectionsOfWorker(config);
    expect(needed).toBe(6);
    expect(() => requireConnections(config, needed)).toThrow(/DATABASE_POOL_SIZE: 5 .* needs 6 connections/);
    expect(() => requireConnections(config, 5)).not.toThrow();
  });
});
