/** Computes the most PostgreSQL connections that the pods of a deployment can have at the same time. */
import { loadConfig } from '../../../src/config/index.ts';
import { environmentOf, type Resource } from './resources.ts';

/** `max_connections` of PostgreSQL by default, without those that are kept for superusers. */
export const POSTGRESQL_CONNECTIONS = 100 - 3;

/** While pods are replaced, those that end are beside those that have begun. */
const GENERATIONS = 2;

/** The job: one that migrates, one that looks. */
const MIGRATION = 2;

/** @param resources with the secret, since configurations are read with it */
export function connectionsAtMost(resources: readonly Resource[]): number {
  const deployments = resources.filter(({ kind }) => kind === 'Deployment');
  return deployments.reduce((sum, { metadata, spec }) => {
    const [container] = spec?.template?.spec.containers ?? [];
    if (!container) throw new Error(`${metadata.name} has no container`);
    const { database } = loadConfig(environmentOf(container, resources));
    return sum + GENERATIONS * podsAtMost(metadata.name, resources) * database.poolSize;
  }, MIGRATION);
}

/** By its autoscaler where it has one. */
export function podsAtMost(deployment: string, resources: readonly Resource[]): number {
  const scaler = resources.find(({ spec }) => spec?.scaleTargetRef?.name === deployment)?.spec;
  const own = resources.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === deployment,
  )?.spec;
  const most = scaler?.maxReplicas ?? scaler?.maxReplicaCount ?? own?.replicas;
  if (most === undefined) throw new Error(`nothing says how many pods ${deployment} has`);
  return most;
}
